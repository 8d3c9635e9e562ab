/** The SQL of the rule that ends tokens of people who left the provider. Spec: reference/sign-in.md "Tokens of people who left". */
import { Unauthorized } from "@countersign/domain/errors"
import type { SqlClient, Statement } from "effect/sql"

/** Tokens of a person end this long after the last sign-in at the provider, which may have removed the person. */
export const providerDays = 30

/** A column: the person has an identity at the issuer, and has not signed in there for long. */
export const ssoExpiredOf = (
  sql: SqlClient.SqlClient,
  user: Statement.Fragment,
  issuer: string | undefined
): Statement.Fragment =>
  sql`coalesce((select max(si.last_sign_in_at) < hub_time_or_last() - make_interval(days => ${providerDays})
    from identities si where si.user_id = ${user} and si.issuer = ${issuer ?? ""}), false)`

export const ssoExpired = new Unauthorized({
  error: {
    code: "sso_expired",
    message:
      `The person of this token has not signed in with single sign-on for ${providerDays} days. Sign in, and the token works again.`
  }
})
