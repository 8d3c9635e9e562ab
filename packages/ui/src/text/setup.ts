import { defineText, plural } from "./catalogue.ts"

/** First run: making the owner from the setup link. */
export const setupText = defineText({
  documentTitle: "Set up · Countersign",
  title: "Set up this hub",
  lead: "You become the owner. You decide which agents can spend, how much, and what needs approval.",
  more: "Name and workspace (optional)",
  name: "Your name",
  nameAbout: "Shown to others with your decisions.",
  email: "E-mail",
  emailAbout: "You sign in with it. Nothing is sent to it.",
  workspace: "First workspace",
  workspaceAbout: "Has its own agents, wallet, and people. You can rename it later.",
  workspaceUsual: "Default",
  submit: "Create owner",
  pending: "Creating…",
  optional: "optional",
  passwordNeeded: "Choose a longer password.",
  notEmail: "An e-mail address, such as you@example.com",

  noTokenTitle: "This address has no setup token",
  noToken: "The hub prints a setup link in the terminal where it was started. Open that whole link, or paste it here.",
  link: "Setup link",
  linkAbout: "It ends in #token=… and works once, for 24 hours.",
  linkWrong: "This isn't a setup link. It looks like http://127.0.0.1:4780/setup#token=…",
  useLink: "Use this link",

  deadTitle: "This setup link no longer works",
  dead: "It was used, replaced by a newer one, or is older than 24 hours. Nothing was created.",
  deadHow:
    "Start the hub again: as long as it has no owner it prints a new link. Paste that one here, and what you typed stays.",
  ownedTitle: "This hub already has an owner",
  owned: "A setup link works only until the first owner is there. Nothing was created.",
  ownedHow:
    "If you are the owner, sign in. If you forgot the password, the hub's operator can set a new one on its machine:",
  ownedCommand: "npm run hub -- reset-password you@example.com",
  signIn: "Sign in",
  failed: "The owner was not created",
  unchanged: "The link is still good.",
  uncertainTitle: "No response from the hub",
  uncertain: "The owner may have been created anyway. Try to sign in before you send this again.",
  unnamedTitle: "You are the owner. The workspace could not be named",
  unnamed: "It is called Default for now. Change the name in its settings.",
  goOn: "Continue"
})

/** A new password, wherever one is chosen. */
export const passwordText = defineText({
  label: "Password",
  next: "New password",
  rule: (min: number, max: number) => `${min} to ${max} characters of any kind. A few words in a row are good.`,
  missing: (count: number) => plural(count, { one: "# more character", other: "# more characters" }),
  enough: "Long enough",
  tooLong: (max: number) => `Too long: at most ${max} characters`,
  show: "Show the password",
  hide: "Hide the password"
})
