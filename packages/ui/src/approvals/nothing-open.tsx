/** Beside the list while no row is open: the shortcuts for navigation and decisions. */
import { useKeyCaps } from "../app/keys.ts"
import { Kbd } from "../components/kbd.tsx"
import { approvalText } from "../text/approvals.ts"
import styles from "./inbox-screen.module.css"

export const NothingOpen = () => {
  const t = approvalText.none
  const next = useKeyCaps("list.next")
  const previous = useKeyCaps("list.previous")
  const keys = [
    ["next", next === undefined || previous === undefined ? undefined : [...next, ...previous]],
    ["approve", useKeyCaps("decide.approve")],
    ["reject", useKeyCaps("decide.reject")],
    ["edit", useKeyCaps("decide.edit")],
    ["select", useKeyCaps("list.select")],
    ["batch", useKeyCaps("decide.batch")]
  ] as const
  return (
    <div className={`grid justify-items-center gap-16 type-body text-2 ${styles.nothing}`}>
      <h2>{t.pick}</h2>
      <p>{t.pickHow}</p>
      <dl>
        {keys.map(([name, caps]) =>
          caps !== undefined && (
            <div key={name} style={{ display: "contents" }}>
              <dt>
                <Kbd keys={caps} />
              </dt>
              <dd>{t.keys[name]}</dd>
            </div>
          )
        )}
      </dl>
    </div>
  )
}
