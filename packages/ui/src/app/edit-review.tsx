/** The review of a merge (`useEdit`), above the fields of a form. */
import { hubClock } from "../hub/hub-time.ts"
import { MergeReview } from "../patterns/merge-review.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { Phrase } from "../text/catalogue.ts"
import { mergeText as t } from "../text/merge.ts"
import type { Edit } from "./use-edit.ts"

export const EditReview = <T, D>({ edit }: { readonly edit: Edit<T, D> }) => {
  const { conflict } = edit
  if (conflict === undefined) return null
  const { before, by, choices, collisions, mine, own, saved, theirs } = conflict
  return (
    <MergeReview
      theirs={theirs.map(({ key, label, show }) => ({ key, label, before: show(before), after: show(saved) }))}
      mine={mine.map(({ key, label, show }) => ({ key, label, value: show(own) }))}
      collisions={collisions.map(({ key, label, show }) => ({
        key,
        label,
        mine: show(own),
        theirs: show(saved),
        choice: choices[key]
      }))}
      onChoose={edit.choose}
      texts={{
        title: by === undefined
          ? t.changed
          : <Phrase text={t.changedBy} person={by.name} time={<RelativeTime at={by.at} now={hubClock.now} />} />,
        what: t.what,
        theirs: t.theirs,
        mine: t.mine,
        collisions: t.collisions,
        before: t.before,
        after: t.after,
        keepMine: t.keepMine,
        takeTheirs: t.takeTheirs,
        next: edit.undecided ? t.undecided : t.ready
      }}
    />
  )
}
