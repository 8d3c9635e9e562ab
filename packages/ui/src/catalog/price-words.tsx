/** The price of a call in words: the amount, then how it is calculated. */
import type { Price } from "../hub/queries.ts"
import { catalogText } from "../text/catalog.ts"
import { Phrase } from "../text/phrase.tsx"
import { plainCents, priceWords } from "./price.ts"

export const PriceWords = ({ price }: { readonly price: Price }) => {
  const t = catalogText.price
  if (price.type === "fixed") return <p className="type-body tabular-nums weight-label">{priceWords(t, price)}</p>
  const isPlain = plainCents(price.ceiling) !== undefined
  return (
    <div>
      <p className="type-body tabular-nums weight-label">
        {isPlain
          ? (
            priceWords(t, price)
          )
          : (
            <Phrase
              text={t.quotedLong}
              expression={<code className="type-mono wrap-anywhere">{price.ceiling}</code>}
            />
          )}
      </p>
      {price.estimate !== undefined && (
        <p className="mt-2 type-note text-2">
          <Phrase text={t.estimate} expression={<code className="type-mono wrap-anywhere">{price.estimate}</code>} />
        </p>
      )}
      {(price.actual !== undefined || !isPlain) && (
        <p className="mt-2 type-note text-2">
          {price.actual === undefined
            ? (
              t.asQuoted
            )
            : <Phrase text={t.actual} pointer={<code className="type-mono wrap-anywhere">{price.actual}</code>} />}
        </p>
      )}
    </div>
  )
}
