import { defineText, plural } from "./catalogue.ts"

/** Second factors, at sign-in, at step-up, and in the settings. */
export const securityText = defineText({
  methods: {
    passkey: "passkey",
    totp: "authenticator app",
    recovery_code: "recovery code"
  },
  use: {
    passkey: "Use a passkey",
    totp: "Use an authenticator app",
    recovery_code: "Use a recovery code"
  },
  passkeyWhat: "Your browser asks for your fingerprint, face, PIN, or security key.",
  code: "Code from your authenticator app",
  codeWhat: "6 digits. Each code works once.",
  recoveryCode: "Recovery code",
  recoveryCodeWhat: "Each recovery code works once.",
  confirm: "Confirm",
  signIn: "Sign in",
  wrong: "The code or passkey is wrong, or was used before.",
  canceled: "The browser did not confirm a passkey. Try again.",
  noPasskeys: "This browser can't use your passkey here. Sign in on another device.",

  step: {
    title: "Second factor",
    lead: "The first step is done. Confirm that it's you.",
    back: "Sign in as someone else",
    ended: "This sign-in has expired. Sign in again."
  },

  screen: {
    what: "With a second factor, a stolen password is not enough to sign in as you.",
    factors: "Second factors",
    kinds: { passkey: "Passkey", totp: "Authenticator app" },
    none: "You have no second factor. Add a passkey or an authenticator app.",
    added: "added {time}",
    used: "last used {time}",
    unused: "never used",
    addTotp: "Add authenticator app",
    addPasskey: "Add passkey",
    noHostName: "Passkeys need an address with a host name. Open this hub by its name, on this machine at localhost.",
    rename: "Rename",
    renameOf: (name: string) => `Rename ${name}`,
    renameTitle: "Rename second factor",
    name: "Name",
    namePlaceholder: "Laptop",
    nameNeeded: "Enter a name.",
    renameFailed: "The second factor wasn't renamed.",
    remove: "Remove",
    removeOf: (name: string) => `Remove ${name}`,
    removeTitle: (name: string) => `Remove ${name}?`,
    removeWhat: "It can't be used to sign in any more.",
    removeLast: "It is your only second factor: your recovery codes end too, and your password alone signs you in.",
    removeFailed: "The second factor wasn't removed.",
    removed: (name: string) => `${name} is removed.`,
    unchanged: "Nothing was changed.",
    addFailed: "The second factor wasn't added.",
    recovery: "Recovery codes",
    recoveryWhat: "They sign you in if you lose your other factors. Each works once.",
    left: (count: number) => plural(count, { one: "# code left", other: "# codes left" }),
    replace: "Replace recovery codes",
    replaceTitle: "Replace your recovery codes?",
    replaceWhat: "All earlier recovery codes stop working.",
    replaceFailed: "The recovery codes weren't replaced."
  },

  totp: {
    title: "Add authenticator app",
    scan: "Scan this QR code with your app, such as 1Password, Aegis, or Google Authenticator.",
    qr: "QR code with the secret",
    secret: "Or enter this secret",
    copy: "Copy secret",
    code: "Code that the app shows",
    name: "Name",
    usual: "Authenticator app",
    add: "Add app",
    wrong: "This isn't the app's current code. Check the clock of your phone."
  },

  passkey: {
    title: "Add passkey",
    what: "Your browser creates the passkey on this device, on your phone, or on a security key.",
    add: "Create passkey"
  },

  codes: {
    title: "Your recovery codes, shown once",
    what:
      "Keep them where you keep your passwords. Each signs you in once if you lose your other factors. The hub stores only their fingerprints.",
    label: "Recovery codes",
    copy: "Copy codes",
    kept: "I have saved them",
    warning: "These codes can't be shown again. Close again if you have saved them."
  },

  identities: {
    title: "Single sign-on",
    none: "Your account isn't linked to the identity provider. Link it to sign in with single sign-on.",
    linked: "linked {time}",
    used: "last sign-in {time}",
    link: "Link single sign-on",
    linkFailed: "The identity wasn't linked.",
    unlink: "Unlink",
    unlinkTitle: "Unlink single sign-on?",
    unlinkWhat: "You then sign in with your password only. Your sessions go on.",
    unlinkFailed: "The identity wasn't unlinked.",
    unlinked: "Single sign-on is unlinked.",
    unchanged: "Nothing was changed."
  },

  required: {
    documentTitle: "Second factor required · Countersign",
    title: "Add a second factor",
    lead: "This workspace requires one of everybody. Add a passkey or an authenticator app to continue.",
    next: "Continue",
    signOut: "Sign out"
  }
})
