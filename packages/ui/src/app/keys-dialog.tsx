/**
 * The shortcuts dialog, opened by `?`: the keys of the open screen, then all keys, which can be changed and switched
 * off there.
 */
import { useRef, useState } from "react"
import { Dialog } from "../components/dialog.tsx"
import { Kbd } from "../components/kbd.tsx"
import { actText as acts } from "../text/acts.ts"
import { keyText as t } from "../text/keys.ts"
import { KeyList } from "./key-list.tsx"
import { boundKeys, groupOf, keyCaps, useKeySettings } from "./keymap.ts"
import styles from "./keys-dialog.module.css"
import { keysOnScreen } from "./keys.ts"
import { openOverlay } from "./overlay.ts"
import { isApple } from "./platform-keys.ts"

const KeysDialog = () => {
  // While it closes it would show its tooltip, which takes the first Escape.
  const list = useRef<HTMLDivElement>(null)
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && openOverlay(undefined)}
      title={t.title}
      description={t.lead}
      closeText={acts.close}
      width="wide"
      initialFocus={list}
    >
      <div ref={list} tabIndex={-1} className="grid gap-12 outline-none">
        <ScreenKeys />
        <h3 className="type-label text-2">{t.all}</h3>
        <KeyList />
      </div>
    </Dialog>
  )
}

/** Shortcuts of the open screen. Navigation shortcuts are in the list below. */
const ScreenKeys = () => {
  const settings = useKeySettings()
  const [names] = useState(() => keysOnScreen().filter((name) => groupOf(name) !== "go"))
  return (
    <section aria-label={t.here}>
      <h3 className="type-label text-2">{t.here}</h3>
      <ul className={`mb-12 ${styles.keys}`}>
        {names.map((name) => {
          const caps = keyCaps(boundKeys(name, settings), isApple)
          return (
            <li key={name}>
              <span>{t.names[name]}</span>
              {caps === undefined ? <span>{t.off}</span> : <Kbd keys={caps} />}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

export default KeysDialog
