/** The commands that connect a computer, as in the README, with this hub's address. */
import { CopyButton } from "../components/copy-button.tsx"
import { actText } from "../text/acts.ts"
import { devicesText } from "../text/devices.ts"
import styles from "./connect-lines.module.css"

/** Five lines, each with its purpose. */
const linesOf = (hub: string, t: typeof devicesText.connect): ReadonlyArray<readonly [line: string, about: string]> => [
  [`npm run device -- pair --hub ${hub} --name build-1 --root /srv/work`, t.pair],
  [
    "echo '{\"version\":1,\"ask_via\":\"none\",\"rules\":[{\"effect\":\"allow\",\"tool\":\"shell.run\",\"argv\":[\"df\",\"**\"]}]}' \\",
    t.rules
  ],
  ["  > ~/.local/state/countersign-device/device.rules.json", ""],
  ["npm run device -- doctor", t.doctor],
  ["npm run device -- run", t.run]
]

export const ConnectLines = () => {
  const t = devicesText.connect
  const { copying } = actText
  const lines = linesOf(location.origin, t)
  return (
    <div className={`grid grid-cols-1 justify-items-start gap-12 min-w-0 ${styles.block}`}>
      <pre
        className="w-full px-16 py-12 border rounded-panel bg-surface overflow-x-auto type-mono"
        role="region"
        aria-label={t.label}
        tabIndex={0}
      >
        <code>
          {lines.map(([line, about]) => (
            <span key={line} className={`grid wrap-anywhere ${styles.line}`}>
              {about !== "" && <span className={styles.about}>{`# ${about}`}</span>}
              <span>{line}</span>
            </span>
          ))}
        </code>
      </pre>
      <CopyButton
        value={lines.map(([line]) => `${line}\n`).join("")}
        texts={{ ...copying, copy: t.copy }}
        size="standard"
      />
    </div>
  )
}
