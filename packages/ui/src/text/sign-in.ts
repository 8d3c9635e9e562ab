import { defineText } from "./catalogue.ts"

export const signInText = defineText({
  title: "Sign in",
  documentTitle: "Sign in · Countersign",
  lead: "Review each request with its cost and the remaining budget, and countersign it.",
  email: "E-mail",
  password: "Password",
  submit: "Sign in",
  asking: "Contacting the hub…",
  wrong: "E-mail or password is not right.",
  signedOut: "You were signed out. Sign in to go on.",
  forgot: "Forgotten your password?",
  forgotHow: "The hub's operator can reset it on its machine:",
  forgotCommand: "npm run hub -- reset-password you@example.com"
})
