/** A person as another caller sees them. Pure. */
import type { Principal } from "@countersign/domain/auth"
import type { UserId } from "@countersign/domain/ids"

/** The columns of a person in a row; `name` may be empty. */
export interface PersonColumns {
  readonly id: UserId
  readonly name: string
  readonly email: string
}

/** The name; people see the e-mail address of a person without a name, agents see no address. */
export const nameFor = (principal: Principal, name: string, email: string | null): string =>
  name === "" && principal.kind === "user" ? email ?? "" : name

/** The person with the name that the caller sees. */
export const namedFor = (principal: Principal, { email, id, name }: PersonColumns) => ({
  id,
  name: nameFor(principal, name, email)
})
