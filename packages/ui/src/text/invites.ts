import { defineText, plural } from "./catalogue.ts"
import { rolesWithArticle, teamRoleNames } from "./roles.ts"

export const invitesText = defineText({
  title: "Invites",
  act: "Invite",
  list: "Invites, newest first",
  empty: "Nobody is invited at the moment.",
  more: "More",
  statuses: { pending: "Pending", accepted: "Accepted", revoked: "Revoked", expired: "Expired" },
  inTeam: "{teamRole} of {team}",
  teamRoles: teamRoleNames,
  otherTeam: "a deleted team",
  by: "invited by {name} {time}",
  until: "expires {time}",
  accepted: "accepted {time}",
  revoke: "Revoke",
  revokeOf: (email: string) => `Revoke the invite of ${email}`,
  revokeTitle: (email: string) => `Revoke the invite of ${email}?`,
  revokeWhat: "Its link stops working at once. You can invite the person again.",
  revokeFailed: "The invite was not revoked.",
  unchanged: "It is as it was.",
  revoked: (email: string) => `The invite of ${email} is revoked.`,

  create: {
    title: "Invite a person",
    about: (days: number) =>
      `You get a link, which is valid for ${plural(days, { one: "# day", other: "# days" })}. Send it to the person.`,
    email: "E-mail",
    emailWrong: "Enter an e-mail address.",
    role: "Role in the workspace",
    team: "Team",
    noTeam: "No team",
    teamRole: "Role in the team",
    act: "Create invite",
    failed: "No invite was created.",
    unchanged: "Nobody was invited."
  },

  made: {
    title: (email: string) => `Link for ${email}`,
    mailed: "The hub sends this link by e-mail. You can also send it yourself: it is shown only now.",
    notMailed: "Send this link to the person: it is shown only now, and this hub sends no e-mail.",
    label: "Link",
    copy: { copy: "Copy link", copied: "Copied", refused: "The browser did not copy it" },
    closeWarning: "This link can't be shown again. Close again if you have copied it.",
    done: "Done"
  },

  open: {
    documentTitle: "Invite · Countersign",
    missingTitle: "This link is incomplete",
    missing: "Open the whole link of the invite. The link is needed again after the page was reloaded.",
    unknownTitle: "This invite does not exist",
    unknown: "Check that the whole link was copied, or ask for a new one.",
    endedTitle: "This invite has ended",
    unreadTitle: "Invite",
    unread: "The invite was not read.",
    title: (workspace: string) => `Join ${workspace}`,
    lead: "{inviter} invites {email} as {role}.",
    leadTeam: "{inviter} invites {email} as {role}, and as {teamRole} of the team {team}.",
    roles: rolesWithArticle,
    teamRoles: { lead: "lead", worker: "worker" },
    until: "The invite expires {time}.",
    name: "Name",
    nameAbout: "Shown to others. Without a name, your e-mail is shown.",
    optional: "optional",
    passwordNeeded: "Choose one that fits the rule.",
    create: "Create account and join",
    account: "You have an account. Sign in with it to join.",
    signIn: "Sign in",
    former: "You have an account, which belongs to no workspace at the moment. Join with its password.",
    password: "Password",
    signedIn: "You are signed in as {email}.",
    other: "The invite was sent to {email}. If you join now, the account you are signed in with joins.",
    join: "Join",
    otherAccount: "Use another account",
    home: "Open Countersign",
    open: (workspace: string) => `Open ${workspace}`,
    pending: "Asking the hub…",
    failed: "You did not join.",
    unchanged: "The invite is still valid."
  }
})
