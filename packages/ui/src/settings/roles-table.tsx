/** The permissions of all roles in one table; on a phone one role at a time. */
import type { Role } from "@countersign/domain/auth"
import { Check, Minus } from "lucide-react"
import { useState } from "react"
import { Panel } from "../components/panel.tsx"
import { Select } from "../components/select.tsx"
import { settingsText } from "../text/settings.ts"
import { permissionsOf, roles, shownPermissions } from "./permission-groups.ts"
import styles from "./roles-table.module.css"

export const RolesTable = ({ own }: { readonly own: Role }) => {
  const { members: t, permissions, roles: names, roleWords } = settingsText
  const [picked, setPicked] = useState<Role>(own)
  return (
    <Panel title={t.rolesTitle} flush>
      <div className={styles.picker}>
        <Select<Role>
          label={t.pickRole}
          value={picked}
          onChange={setPicked}
          description={roleWords[picked]}
          options={roles.map((role) => ({ value: role, text: names[role] }))}
        />
      </div>
      <table className={`w-full type-body ${styles.table}`}>
        <thead>
          <tr>
            <th scope="col">{t.may}</th>
            {roles.map((role) => (
              <th key={role} scope="col" data-picked={role === picked || undefined} title={roleWords[role]}>
                {names[role]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shownPermissions.map((permission) => (
            <tr key={permission}>
              <th scope="row">
                {permissions[permission]}
                <code className={`block type-mono text-3 ${styles.code}`}>{permission}</code>
              </th>
              {roles.map((role) => {
                const has = permissionsOf[role].has(permission)
                return (
                  <td key={role} data-picked={role === picked || undefined} data-has={has}>
                    {has
                      ? <Check size={16} role="img" aria-label={t.yes} />
                      : <Minus size={16} role="img" aria-label={t.no} />}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <p className="px-16 py-12 type-note text-2">{t.own}</p>
    </Panel>
  )
}
