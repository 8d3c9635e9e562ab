/** One part of the build: a person who opens the workflows opens one of them. */
export { WorkflowScreen } from "./workflow-screen.tsx"
export { WorkflowsScreen } from "./workflows-screen.tsx"
