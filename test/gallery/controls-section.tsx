import { Avatar } from "@countersign/ui/components/avatar.tsx"
import { Badge } from "@countersign/ui/components/badge.tsx"
import { Button, ButtonLink } from "@countersign/ui/components/button.tsx"
import { ConfirmDialog } from "@countersign/ui/components/confirm-dialog.tsx"
import { CopyButton } from "@countersign/ui/components/copy-button.tsx"
import { Dialog } from "@countersign/ui/components/dialog.tsx"
import { IconButton } from "@countersign/ui/components/icon-button.tsx"
import { Id } from "@countersign/ui/components/id.tsx"
import { Kbd } from "@countersign/ui/components/kbd.tsx"
import { Link } from "@countersign/ui/components/link.tsx"
import { Menu, MenuCheckItem, MenuChoice, MenuItem, MenuLine, MenuSection } from "@countersign/ui/components/menu.tsx"
import { Panel } from "@countersign/ui/components/panel.tsx"
import { Popover } from "@countersign/ui/components/popover.tsx"
import { ProgressLine } from "@countersign/ui/components/progress-line.tsx"
import { Tabs } from "@countersign/ui/components/tabs.tsx"
import { TextField } from "@countersign/ui/components/text-field.tsx"
import { showToast } from "@countersign/ui/components/toast.tsx"
import { CommandPalette } from "@countersign/ui/patterns/command-palette.tsx"
import { Copy, MoreHorizontal, Plus, Trash2 } from "lucide-react"
import { useState } from "react"
import styles from "./gallery.module.css"
import { copyTexts } from "./samples.ts"
import { Section } from "./section.tsx"

export const ControlsSection = () => {
  const [pending, setPending] = useState(false)
  const [dialog, setDialog] = useState(false)
  const [confirm, setConfirm] = useState(false)
  const [palette, setPalette] = useState(false)
  const [query, setQuery] = useState("")
  const [tab, setTab] = useState("activity")
  const [sort, setSort] = useState("newest")
  const [reason, setReason] = useState(true)
  const ask = () => {
    setPending(true)
    setTimeout(() => setPending(false), 1600)
  }
  return (
    <Section id="controls" title="Controls">
      <div className={styles.line}>
        <Button variant="primary" pending={pending} pendingText="Contacting the hub…" onClick={ask} keys={["A"]}>
          Approve $42.00
        </Button>
        <Button variant="danger">Reject</Button>
        <Button icon={<Plus />}>New agent</Button>
        <Button variant="bare">Cancel</Button>
        <Button variant="primary" pending pendingText="Contacting the hub…">Approve $42.00</Button>
        <Button disabled>Not now</Button>
        <ButtonLink href="#controls">Open the ledger</ButtonLink>
        <Button size="small">Small</Button>
        <IconButton label="Copy" icon={<Copy />} keys={["c"]} />
        <IconButton label="Delete" icon={<Trash2 />} edge />
        <Link href="#controls">A link in text</Link>
      </div>
      <div className={styles.line}>
        <Menu trigger={<IconButton label="More" icon={<MoreHorizontal />} edge />}>
          <MenuItem icon={<Copy />} keys={["c"]}>Copy id</MenuItem>
          <MenuItem render={<a href="#controls" />}>Open in a new page</MenuItem>
          <MenuLine />
          <MenuSection label="Columns">
            <MenuCheckItem checked={reason} onChange={setReason}>Reason</MenuCheckItem>
          </MenuSection>
          <MenuLine />
          <MenuChoice
            label="Order"
            value={sort}
            onChange={setSort}
            options={[{ value: "newest", text: "Newest first" }, { value: "dearest", text: "Dearest first" }]}
          />
          <MenuLine />
          <MenuItem icon={<Trash2 />} danger>Retire the agent</MenuItem>
        </Menu>
        <Popover trigger={<Button>Popover</Button>} title="Threshold">
          <p>Requests above $5.00 require approval.</p>
        </Popover>
        <Button onClick={() => setDialog(true)}>Dialog</Button>
        <Button onClick={() => setConfirm(true)}>Confirm</Button>
        <Button onClick={() => setPalette(true)} keys={["Ctrl", "K"]}>Palette</Button>
        <Button
          onClick={() =>
            showToast({ text: "Key revoked for Scout", action: { text: "Undo", onPress: () => undefined } })}
        >
          Toast
        </Button>
        <CopyButton value="curl" texts={copyTexts} />
        <CopyButton value="curl" texts={copyTexts} iconOnly />
        <Id value="apr_01jd8x4k2m9q7r5t3v1wxyz" texts={copyTexts} />
        <Kbd keys={["g", "i"]} />
      </div>
      <div className={styles.line}>
        <Badge>test mode</Badge>
        <Badge tone="hold">pending</Badge>
        <Badge tone="ok">executed</Badge>
        <Badge tone="stop">blocked</Badge>
        <Badge tone="info">running</Badge>
        <Avatar kind="person" name="Ada Lovelace" size={32} />
        <Avatar kind="person" name="Grace Hopper" size={24} />
        <Avatar kind="person" name="Alan" />
        <Avatar kind="agent" name="Scout" size={32} />
        <Avatar kind="agent" name="Night Watch" size={24} />
        <Avatar kind="agent" name="Scout" />
        <Avatar kind="agent" name="Scout" size={16} />
      </div>
      <div className={styles.columns}>
        <Panel title="Scout" actions={<Button size="small">Edit</Button>}>
          <Tabs
            label="Scout"
            value={tab}
            onChange={setTab}
            tabs={[{ value: "activity", text: "Activity", count: 128 }, { value: "keys", text: "Keys" }, {
              value: "budget",
              text: "Budget"
            }]}
          >
            <p>
              {tab === "activity"
                ? "Called search.web 128 times in 30 days."
                : tab === "keys"
                ? "One live key."
                : "$50.00 a month."}
            </p>
          </Tabs>
        </Panel>
        <Panel title="Loading keeps what was there" flush>
          <ProgressLine active label="Loading requests" />
        </Panel>
      </div>
      <Dialog
        open={dialog}
        onOpenChange={setDialog}
        title="New key for Scout"
        description="It is shown once. The old one works for another 24 hours."
        closeText="Close"
        footer={
          <>
            <Button onClick={() => setDialog(false)}>Cancel</Button>
            <Button variant="primary">Make the key</Button>
          </>
        }
      >
        <TextField label="What it is for" value="" onChange={() => undefined} placeholder="Staging" />
      </Dialog>
      <ConfirmDialog
        open={confirm}
        onOpenChange={setConfirm}
        title="Freeze the workspace?"
        description="No request is executed until the freeze is lifted. What runs now runs to its end."
        confirmText="Freeze"
        cancelText="Leave it"
        danger
        phrase={{ words: "freeze", label: "Type freeze" }}
        onConfirm={() => setConfirm(false)}
      />
      <CommandPalette
        open={palette}
        onClose={() => setPalette(false)}
        query={query}
        onQuery={setQuery}
        texts={{
          label: "Go to or do",
          placeholder: "Go to or do",
          none: "Nothing found.",
          close: "Close",
          run: "Run",
          runKey: "Enter"
        }}
        commands={[
          { id: "inbox", group: "Go to", text: "Inbox", keys: ["g", "i"], onRun: () => undefined },
          { id: "requests", group: "Go to", text: "Requests", keys: ["g", "r"], onRun: () => undefined },
          { id: "scout", group: "Agents", text: "Scout", detail: "Acme", onRun: () => undefined },
          { id: "freeze", group: "Do", text: "Freeze the workspace", words: "stop halt", onRun: () => setConfirm(true) }
        ]}
      />
    </Section>
  )
}
