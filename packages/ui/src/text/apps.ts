import { defineText, plural } from "./catalogue.ts"

export const appsText = defineText({
  title: "Apps",
  about:
    "Accounts at other services that your agents' services use. The hub keeps the sign-in encrypted and renews it; nobody sees it.",
  list: "Connected apps, then the providers that you can connect",
  empty: "No provider can be connected.",
  columns: { app: "App", state: "State", may: "Permissions", who: "Available to", used: "Used by", last: "Last used" },
  states: {
    pending: "Sign-in not finished",
    connected: "Connected",
    needs_reauth: "Sign in again",
    revoked: "Disconnected"
  },
  ready: "Ready to connect",
  notSetUp: "Not set up",
  who: { private: "Your agents", workspace: "All agents" },
  ownersAgents: (name: string) => `Agents of ${name}`,
  anotherPerson: "another person",
  unused: "no service",
  never: "never",
  providerDefault: "the provider's default",
  connect: "Connect",
  connectIt: (provider: string) => `Connect ${provider}`,
  setUp: "Set up",
  setUpIt: (provider: string) => `Set up ${provider}`,
  changeClient: "Change OAuth client",
  addProvider: "Add provider",
  signIn: "Sign in again",
  open: "Open",
  edit: "Rename or share",
  disconnect: "Disconnect",
  remove: "Delete",
  menu: (name: string) => `Actions for ${name}`,
  detail: {
    account: "Account",
    unknown: "not reported",
    provider: "Provider",
    created: "Added"
  },
  connecting: {
    title: (provider: string) => `Connect ${provider}`,
    about: (provider: string) => `You sign in at ${provider} and decide there. Then you return to this page.`,
    name: "Name",
    who: "Available to",
    mine: "Only your agents",
    mineAbout: "Services that run for your own agents act as you.",
    all: "All agents of the workspace",
    allAbout: "Every agent that is connected to a service of this provider acts as you.",
    scopes: "Permissions",
    scopesAbout: "Scopes of the provider, separated by blanks. Ask for no more than the services need.",
    act: (provider: string) => `Continue to ${provider}`,
    failed: "The connection was not started.",
    unchanged: "Nothing was connected."
  },
  setting: {
    title: (provider: string) => `Set up ${provider}`,
    newTitle: "Add a provider",
    about: "Create an OAuth client at the provider with this redirect address, and enter its id and secret here.",
    redirect: "Redirect address",
    create: (provider: string) => `Create a client at ${provider}`,
    provider: "Name",
    providerAbout: "Lower case, such as my-crm. Services use it as the app.",
    id: "Client ID",
    secret: "Client secret",
    secretAbout: "Stored encrypted, and never shown again.",
    definition: "Definition",
    definitionAbout: "JSON with authorize_url, token_url, scopes, and hosts. The documents list all fields.",
    notJson: "This is not a JSON object.",
    ends: "Another client ID ends the connections that people made with the current one: they sign in again.",
    fromHub: "The hub's settings already have a client. This one applies to this workspace instead.",
    act: "Save",
    failed: "The provider was not set up.",
    unchanged: "Its settings have not changed.",
    done: (provider: string) => `${provider} is set up`
  },
  editing: {
    title: (name: string) => `Rename or share ${name}`,
    failed: "The app was not changed.",
    done: "The app was changed"
  },
  signingIn: { failed: "The sign-in was not started.", unchanged: "The app is as before." },
  disconnecting: {
    title: (name: string) => `Disconnect ${name}?`,
    used: (services: string, count: number) =>
      plural(count, {
        one: `${services} uses it: its calls may fail from then on.`,
        other: `${services} use it: their calls may fail from then on.`
      }),
    unused: "No service uses it.",
    act: "Disconnect app",
    failed: "The app was not disconnected.",
    unchanged: "Calls use it as before.",
    done: (name: string) => `${name} was disconnected`
  },
  removing: {
    title: (name: string) => `Delete ${name}?`,
    about: "The hub forgets the account and ends its access at the provider.",
    act: "Delete app",
    failed: "The app was not deleted.",
    unchanged: "It is as before.",
    done: (name: string) => `${name} was deleted`
  }
})
