/** One part of the build: a person who opens the runs opens one of them. */
export { RunScreen } from "./run-screen.tsx"
export { RunsScreen } from "./runs-screen.tsx"
