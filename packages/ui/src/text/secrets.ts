import { defineText, plural } from "./catalogue.ts"

export const secretsText = defineText({
  title: "Secrets",
  about: "Credentials that services use. A stored value is never shown again, not even to agents.",
  list: "Secrets, by name",
  empty: "No secret is stored.",
  add: "New secret",
  columns: { name: "Name", used: "Used by", created: "Created", changed: "Last set" },
  unused: "nothing",
  missing: "not set",
  setWord: "Set",
  setIt: (name: string) => `Set ${name}`,
  replace: "Replace",
  remove: "Delete",
  menu: (name: string) => `Actions for ${name}`,
  forbidden: "You need permission to change the catalog to see secrets.",
  callback: (service: string) => `${service} (callbacks)`,
  set: {
    newTitle: "New secret",
    title: (name: string) => `Set ${name}`,
    replaceTitle: (name: string) => `Replace ${name}`,
    replaceAbout: "Every call uses the new value as soon as it is saved. The old value is deleted.",
    about: "Sealed with AES-256-GCM. It can be replaced and deleted, never shown again.",
    name: "Name",
    nameAbout: "Lower case, such as stripe-key. Services name it by this.",
    value: "Value",
    show: "Show what I type",
    act: "Store secret",
    replaceAct: "Replace value",
    failed: "The secret was not stored.",
    unchanged: "The stored secret has not changed.",
    done: (name: string) => `${name} is stored`,
    blank: "The value ends or begins with a blank. It is stored as it is."
  },
  removing: {
    title: (name: string) => `Delete ${name}?`,
    used: (services: string, count: number) =>
      plural(count, {
        one: `${services} uses it: its calls fail from then on.`,
        other: `${services} use it: their calls fail from then on.`
      }),
    unused: "No service names it.",
    act: "Delete secret",
    failed: "The secret was not deleted.",
    unchanged: "Calls use it as before.",
    done: (name: string) => `${name} was deleted`
  }
})
