/** One part of the build: a person who opens the endpoints opens one of them. */
export { WebhookScreen } from "./webhook-screen.tsx"
export { WebhooksScreen } from "./webhooks-screen.tsx"
