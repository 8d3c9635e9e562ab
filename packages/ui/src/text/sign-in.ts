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
  provider: "Sign in with single sign-on",
  providerOnly: "This hub requires single sign-on. Only owners with a second factor can sign in by password.",
  steppedUp: "Identity confirmed",
  steppedUpWhat: "You can close this window and continue in the other one.",
  notSteppedUp: "Your identity was not confirmed",
  failures: {
    state_invalid: "The sign-in took too long, was used, or began in another browser. Try again.",
    provider_denied: "The sign-in was canceled at the identity provider.",
    provider_error: "The identity provider refused the sign-in. Ask the hub's operator.",
    provider_unreachable: "The identity provider could not be reached. Try again later.",
    token_invalid: "The answer of the identity provider is not valid. Ask the hub's operator.",
    not_fresh: "The identity provider did not ask you to sign in again.",
    email_missing: "The identity provider gave no email address. Ask the hub's operator.",
    email_unverified: "The identity provider has not verified your email address. Verify it there, then sign in again.",
    link_required:
      "An account with your email address exists. Sign in with its password once, and it will be linked to single sign-on.",
    identity_taken: "This identity, or your account, is already linked to another one. Ask the hub's operator.",
    wrong_identity: "Another person signed in at the identity provider.",
    session_required: "Your session has ended. Sign in again.",
    second_factor_required: "Confirm with your second factor instead.",
    no_access: "You have no access to a workspace of this hub. Ask an owner for an invite or a role."
  } as Readonly<Record<string, string>>,
  failure: "The sign-in at the identity provider failed. Try again.",
  forgot: "Forgotten your password?",
  forgotHow: "The hub's operator can reset it on its machine:",
  forgotCommand: "npm run hub -- reset-password you@example.com"
})
