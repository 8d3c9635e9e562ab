/** A searchable list of all places and actions. */
import { Autocomplete } from "@base-ui/react/autocomplete"
import { Dialog } from "@base-ui/react/dialog"
import { Search } from "lucide-react"
import {
  memo,
  type ReactNode,
  type RefObject,
  startTransition,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState
} from "react"
import { Kbd } from "../components/kbd.tsx"
import styles from "./command-palette.module.css"

export interface Command {
  readonly id: string
  readonly text: string
  readonly group: string
  readonly icon?: ReactNode
  readonly keys?: ReadonlyArray<string> | undefined
  /** Secondary text, such as the workspace or agent. */
  readonly detail?: string | undefined
  /** Additional search terms. */
  readonly words?: string | undefined
  readonly onRun: () => void
}

export interface CommandPaletteProps {
  readonly open: boolean
  /** Escape, a press outside, or a command that runs. */
  readonly onClose: () => void
  /** In display order, grouped. */
  readonly commands: ReadonlyArray<Command>
  readonly query: string
  readonly onQuery: (query: string) => void
  /** The field has focus and receives typed text from here on. */
  readonly onReady?: (() => void) | undefined
  readonly texts: {
    readonly label: string
    readonly placeholder: string
    readonly none: string
    readonly close: string
    readonly run: string
    readonly runKey: string
  }
}

interface Group {
  readonly value: string
  readonly items: ReadonlyArray<Command>
}

const grouped = (commands: ReadonlyArray<Command>): Array<Group> => {
  const groups = new Map<string, Array<Command>>()
  for (const command of commands) {
    const group = groups.get(command.group)
    if (group === undefined) groups.set(command.group, [command])
    else group.push(command)
  }
  return [...groups].map(([value, items]) => ({ value, items }))
}

const searched = (command: Command): string => `${command.text} ${command.detail ?? ""} ${command.words ?? ""}`
/** Every typed word is contained in it. */
const matches = (command: Command, query: string): boolean => {
  const all = searched(command).toLowerCase()
  return query.toLowerCase().split(/\s+/).every((word) => all.includes(word))
}

/** Rows that fit into the popup. The rest is rendered once the field has focus. */
const firstRows = 14

const useWholeAfterPaint = (): boolean => {
  const [isWhole, setWhole] = useState(false)
  useEffect(() => {
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => startTransition(() => setWhole(true)))
    })
    return () => cancelAnimationFrame(frame)
  }, [])
  return isWhole
}

type PanelProps = Omit<CommandPaletteProps, "open"> & { readonly input: RefObject<HTMLInputElement | null> }

/** Memoized: opening the dialog changes none of its properties, so its rows are not rendered again. */
const Panel = memo(({ commands, input, onClose, onQuery, onReady, query, texts }: PanelProps) => {
  const isWhole = useWholeAfterPaint() || query !== ""
  const groups = useMemo(() => grouped(isWhole ? commands : commands.slice(0, firstRows)), [commands, isWhole])
  return (
    <>
      <Autocomplete.Root
        open
        inline
        items={groups}
        autoHighlight="always"
        keepHighlight
        value={query}
        onValueChange={onQuery}
        itemToStringValue={(command: Command) => command.text}
        filter={(command: Command, typed) => matches(command, typed)}
      >
        <div className={styles.head}>
          <Search aria-hidden />
          <Autocomplete.Input
            ref={input}
            className={styles.input}
            aria-label={texts.label}
            placeholder={texts.placeholder}
            onFocus={onReady}
          />
          <Dialog.Close className={styles.close}>
            <span className="sr-only">{texts.close}</span>
            <Kbd keys={["Esc"]} />
          </Dialog.Close>
        </div>
        <div className={styles.body}>
          <Autocomplete.Empty>
            <div className={styles.none}>{texts.none}</div>
          </Autocomplete.Empty>
          <Autocomplete.List className={styles.list}>
            {(group: Group) => (
              <Autocomplete.Group key={group.value} items={group.items}>
                <Autocomplete.GroupLabel className={styles.group}>{group.value}</Autocomplete.GroupLabel>
                <Autocomplete.Collection>
                  {(command: Command) => (
                    <Autocomplete.Item
                      key={command.id}
                      value={command}
                      className={styles.item}
                      onClick={() => {
                        onQuery("")
                        onClose()
                        command.onRun()
                      }}
                    >
                      <span className={styles.icon} aria-hidden>{command.icon}</span>
                      <span className={styles.text}>{command.text}</span>
                      {command.detail !== undefined && <span className={styles.detail}>{command.detail}</span>}
                      {command.keys !== undefined && <Kbd keys={command.keys} />}
                    </Autocomplete.Item>
                  )}
                </Autocomplete.Collection>
              </Autocomplete.Group>
            )}
          </Autocomplete.List>
        </div>
      </Autocomplete.Root>
      <div className={styles.foot} aria-hidden>
        {texts.run} <Kbd keys={[texts.runKey]} />
      </div>
    </>
  )
})
Panel.displayName = "CommandPalettePanel"

/**
 * While closed it is rendered outside of the document: opening only attaches it, and nothing on the page can find,
 * focus, or read it before.
 */
export const CommandPalette = ({ commands, onClose, onQuery, open, texts, ...panel }: CommandPaletteProps) => {
  const [container] = useState(() => document.createElement("div"))
  const input = useRef<HTMLInputElement>(null)
  // Changes of the screen's commands do not delay the screen.
  const later = useDeferredValue(commands)
  useLayoutEffect(() => {
    if (!open) return
    document.body.append(container)
    // Later in the same turn the dialog is visible. Its own focus would come one frame later.
    queueMicrotask(() => input.current?.focus())
  }, [container, open])
  useEffect(() => () => container.remove(), [container])
  return (
    <Dialog.Root
      open={open}
      onOpenChange={(next) => {
        if (next) return
        onQuery("")
        onClose()
      }}
      onOpenChangeComplete={(next) => !next && container.remove()}
    >
      <Dialog.Portal keepMounted container={container}>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Viewport className={styles.viewport}>
          <Dialog.Popup className={styles.popup} aria-label={texts.label} initialFocus={input}>
            <Panel
              {...panel}
              commands={open ? commands : later}
              input={input}
              onClose={onClose}
              onQuery={onQuery}
              texts={texts}
            />
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

export default CommandPalette
