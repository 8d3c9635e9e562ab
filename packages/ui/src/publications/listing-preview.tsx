/** Every field of a marketplace listing, for people who publish, review, or read one. */
import type { Listing } from "../hub/queries.ts"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { payloadText as reveal } from "../text/payload.ts"
import { publicationsText } from "../text/publications.ts"

export const ListingPreview = ({ listing }: { readonly listing: Omit<Listing, "id"> }) => {
  const t = publicationsText.fields
  const words = (text: string | null) =>
    text === null || text === ""
      ? <span className="text-3">{t.none}</span>
      : <RevealedText text={text} texts={reveal} />
  return (
    <KeyValueList
      items={[
        { key: "kind", name: t.kind, value: t.kinds[listing.kind] },
        { key: "name", name: t.name, value: words(listing.name) },
        { key: "description", name: t.description, value: words(listing.description) },
        { key: "icon", name: t.icon, value: words(listing.icon) },
        { key: "category", name: t.category, value: words(listing.category) },
        { key: "publisher", name: t.publisher, value: words(listing.publisher) }
      ]}
    />
  )
}
