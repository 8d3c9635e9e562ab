import { defineText } from "./catalogue.ts"

export const signInText = defineText({
  title: "Sign in",
  documentTitle: "Sign in · Countersign",
  lead: "See what is asked, what it costs, what is left, and countersign it.",
  email: "E-mail",
  password: "Password",
  submit: "Sign in",
  asking: "Asking the hub…",
  wrong: "E-mail or password is not right.",
  signedOut: "You were signed out. Sign in to go on.",
  forgot: "Forgotten your password?",
  forgotHow: "Whoever runs the hub sets a new one on its machine:",
  forgotCommand: "npm run hub -- reset-password you@example.com"
})
