/** One rule in words: its effect, its tool, and its patterns. */
import type { DeviceRule, RuleEffect } from "@countersign/domain/device-rules"
import { Badge, type Tone } from "@countersign/ui/components/badge.tsx"
import { Button } from "@countersign/ui/components/button.tsx"
import { quoted } from "@countersign/ui/devices/command-line"
import { RevealedText } from "@countersign/ui/patterns/revealed-text.tsx"
import type { StatusLook } from "@countersign/ui/patterns/status"
import { StatusGlyph } from "@countersign/ui/patterns/status-badge.tsx"
import { payloadText as texts } from "@countersign/ui/text/payload"
import styles from "./desk.module.css"
import { ownerText as t } from "./text.ts"

export interface RuleRowProps {
  readonly rule: DeviceRule
  readonly busy: boolean
  readonly onRemove: () => void
}

const looks: Readonly<Record<RuleEffect, { readonly tone: Tone; readonly look: StatusLook }>> = {
  allow: { tone: "ok", look: "executed" },
  ask: { tone: "hold", look: "waiting" },
  deny: { tone: "stop", look: "blocked" }
}

/** Patterns are not quoted. */
const word = (text: string): string => /^[\w@%+=:,./*-]+$/u.test(text) ? text : quoted(text)

export const RuleRow = (
  { busy, onRemove, rule: { argv, effect, env, network, note, pins, project_code, repeats, root, tool } }: RuleRowProps
) => {
  const { look, tone } = looks[effect]
  const line = argv?.map(word).join(" ")
  return (
    <li className={styles.row} data-effect={effect}>
      <div className={styles.effect}>
        <Badge tone={tone} glyph={<StatusGlyph look={look} size={12} />}>{t.effects[effect]}</Badge>
      </div>
      <div className={styles.words}>
        <p>
          <span className={styles.strong}>{tool}</span> {line === undefined
            ? <span className={styles.meta}>{t.anyCall}</span>
            : (
              <span className={styles.mono}>
                <RevealedText text={line} texts={texts} />
              </span>
            )}
        </p>
        {root !== undefined && (
          <p className={styles.meta}>
            {t.below}{" "}
            <span className={styles.mono}>
              <RevealedText text={root} texts={texts} />
            </span>
          </p>
        )}
        {env !== undefined && env.length > 0 && <p className={styles.meta}>{t.setting(env.join(", "))}</p>}
        {pins?.map(({ path, sha256 }) => (
          <p key={path} className={styles.meta}>
            {t.pinned(sha256.slice(0, 12))}{" "}
            <span className={styles.mono}>
              <RevealedText text={path} texts={texts} />
            </span>
          </p>
        ))}
        {network !== undefined && <p className={styles.meta}>{t.network[network]}</p>}
        {project_code === true && <p className={styles.meta}>{t.projectCode}</p>}
        {repeats === true && <p className={styles.meta}>{t.repeats}</p>}
        {note !== undefined && (
          <p className={styles.meta}>
            <RevealedText text={note} texts={texts} />
          </p>
        )}
      </div>
      <Button
        size="small"
        variant="bare"
        disabled={busy}
        onClick={onRemove}
        aria-label={t.removeRule([t.effects[effect], tool, line ?? t.anyCall].join(" "))}
      >
        {t.remove}
      </Button>
    </li>
  )
}
