/** One part of the build: a person who opens the schedules opens one of them. */
export { ScheduleScreen } from "./schedule-screen.tsx"
export { SchedulesScreen } from "./schedules-screen.tsx"
