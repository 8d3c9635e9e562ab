import type { ServiceRow } from "../hub/queries.ts"

export interface SecretUse {
  readonly service: string
  /** The secret verifies callbacks; otherwise it is the credential. */
  readonly verifies: boolean
}

/** The services that use each secret. */
export const secretUses = (services: ReadonlyArray<ServiceRow>): ReadonlyMap<string, ReadonlyArray<SecretUse>> => {
  const uses = new Map<string, Array<SecretUse>>()
  const note = (name: string | undefined, use: SecretUse) => {
    if (name === undefined) return
    const found = uses.get(name) ?? []
    if (!found.some((each) => each.service === use.service && each.verifies === use.verifies)) {
      uses.set(name, [...found, use])
    }
  }
  for (const { auth, name, operations } of services) {
    note(auth?.secret, { service: name, verifies: false })
    for (const { async } of operations) note(async?.secret, { service: name, verifies: true })
  }
  return uses
}
