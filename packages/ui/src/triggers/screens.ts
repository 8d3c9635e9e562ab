/** One part of the build: a person who opens the triggers opens one of them. */
export { TriggerScreen } from "./trigger-screen.tsx"
export { TriggersScreen } from "./triggers-screen.tsx"
