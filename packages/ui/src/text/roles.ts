/** The names of roles, for the catalogues that contain them. */

export const roleNames = {
  owner: "Owner",
  admin: "Admin",
  operator: "Operator",
  member: "Member",
  viewer: "Viewer"
} as const

export const rolesWithArticle = {
  owner: "an owner",
  admin: "an admin",
  operator: "an operator",
  member: "a member",
  viewer: "a viewer"
} as const

export const teamRoleNames = { lead: "Lead", worker: "Worker" } as const
