/**
 * A mark beside a name: a circle for a person, a square for an agent. It adds nothing to the name, so screen readers
 * skip it.
 */
import styles from "./avatar.module.css"
import { classNames } from "./class-names.ts"

export interface AvatarProps {
  readonly kind: "person" | "agent"
  readonly name: string
  /** In px; 20 by default. At 16 there is room for one letter. */
  readonly size?: 16 | 20 | 24 | 32 | undefined
}

/** The first letters of the first and last word, at most two. */
export const initials = (name: string): string => {
  const words = name.trim().split(/[\s._-]+/u).filter((word) => word !== "")
  const letter = (word: string | undefined) => [...(word ?? "")][0]?.toLocaleUpperCase("en") ?? ""
  return words.length === 0 ? "" : letter(words[0]) + (words.length > 1 ? letter(words.at(-1)) : "")
}

export const Avatar = ({ kind, name, size = 20 }: AvatarProps) => (
  <span className={classNames(styles.avatar, styles[kind], styles[`s${size}`])} aria-hidden>
    {size === 16 ? initials(name).slice(0, 1) : initials(name)}
  </span>
)
