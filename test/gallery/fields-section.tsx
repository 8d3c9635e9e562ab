import { Checkbox } from "@countersign/ui/components/checkbox.tsx"
import { MoneyField, NumberField, TextArea } from "@countersign/ui/components/fields.tsx"
import { RadioGroup } from "@countersign/ui/components/radio-group.tsx"
import { Select } from "@countersign/ui/components/select.tsx"
import { Switch } from "@countersign/ui/components/switch.tsx"
import { TextField } from "@countersign/ui/components/text-field.tsx"
import { useState } from "react"
import styles from "./gallery.module.css"
import { Section } from "./section.tsx"

export const FieldsSection = () => {
  const [name, setName] = useState("Scout")
  const [cap, setCap] = useState<number | undefined>(5000)
  const [hours, setHours] = useState<number | undefined>(24)
  const [comment, setComment] = useState("")
  const [mode, setMode] = useState("live")
  const [checked, setChecked] = useState(true)
  const [on, setOn] = useState(true)
  const [width, setWidth] = useState("operation")
  return (
    <Section id="fields" title="Fields">
      <div className={styles.fields}>
        <TextField label="Name" value={name} onChange={setName} description="As people will read it." />
        <TextField label="Slug" value="scout!" onChange={setName} mono error="Letters, digits and dashes only." />
        <TextField label="Base address" value="https://api.example.com" onChange={setName} mono readOnly />
        <TextField label="Not now" value="" onChange={setName} disabled placeholder="Nothing to type" />
        <MoneyField label="Cap a month" value={cap} onChange={setCap} invalidText="Enter an amount such as 25.00" />
        <NumberField
          label="Grace"
          value={hours}
          onChange={setHours}
          suffix="hours"
          max={720}
          invalidText="A whole number up to 720"
        />
        <Select
          label="Mode"
          value={mode}
          onChange={setMode}
          options={[{ value: "live", text: "Live" }, { value: "test", text: "Test" }]}
        />
        <Select
          label="Service"
          value={undefined}
          onChange={setMode}
          placeholder="Pick one"
          options={[{ value: "voice", text: "voice" }]}
        />
      </div>
      <TextArea label="Comment" value={comment} onChange={setComment} placeholder="Shown to the agent" />
      <div className={styles.columns}>
        <div className={styles.stack}>
          <Checkbox
            label="Remember this"
            description="Asks no one for the same call up to $5.00 for a week."
            checked={checked}
            onChange={setChecked}
          />
          <Checkbox label="Some of them" checked={false} partly onChange={setChecked} />
          <Checkbox label="Not allowed" checked={false} disabled onChange={setChecked} />
          <Switch
            label="Notify me"
            checked={on}
            onChange={setOn}
            description="When something is pending for longer than 10 min."
          />
          <Switch label="Contacting the hub" checked={!on} pending onChange={setOn} />
        </div>
        <RadioGroup
          label="How wide"
          value={width}
          onChange={setWidth}
          options={[
            { value: "operation", text: "voice.call only", description: "Would have covered 14 of the last 20." },
            { value: "service", text: "All of voice", description: "Would have covered 19 of the last 20." },
            { value: "all", text: "Everything", disabled: true }
          ]}
        />
      </div>
    </Section>
  )
}
