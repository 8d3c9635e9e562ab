import { Button } from "@countersign/ui/components/button.tsx"
import { useState } from "react"
import type { ConsoleBridge } from "../../bridge/contract.ts"
import styles from "../device/device.module.css"
import { settingsText as t } from "./text.ts"

export interface TestNoticeProps {
  readonly bridge: ConsoleBridge
  readonly wide?: boolean
}

/** Sends a test notification by the same path as those of approvals, and reports when the system shows none. */
export const TestNotice = ({ bridge, wide = false }: TestNoticeProps) => {
  const [result, setResult] = useState<{ readonly words: string; readonly isProblem: boolean }>()
  const show = async () => {
    setResult(undefined)
    const answer = await bridge.shell.testNotice()
    const problem = answer.ok ? answer.value.problem : "failed"
    setResult(
      problem === null
        ? { words: t.testShown, isProblem: false }
        : { words: t.noticeProblems[problem], isProblem: true }
    )
  }
  return (
    <>
      <Button size={wide ? "standard" : "small"} wide={wide} onClick={() => void show()}>{t.test}</Button>
      {result !== undefined && (
        <p className={result.isProblem ? styles.problem : styles.note} role={result.isProblem ? "alert" : "status"}>
          {result.words}
        </p>
      )}
    </>
  )
}
