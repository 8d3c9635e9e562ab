/** A name that the catalog takes, made of a title: `Pet Store API` → `pet-store-api`; nothing where nothing is left of it. */
export const nameFrom = (title: string | undefined): string =>
  (title ?? "").normalize("NFKD").toLowerCase().replace(/[^a-z0-9]+/gu, "-").replace(/^[^a-z]+|-+$/gu, "").slice(0, 64)
