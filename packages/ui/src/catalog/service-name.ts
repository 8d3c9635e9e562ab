/** A valid service name from a title: `Pet Store API` → `pet-store-api`; empty if no character remains. */
export const nameFrom = (title: string | undefined): string =>
  (title ?? "").normalize("NFKD").toLowerCase().replace(/[^a-z0-9]+/gu, "-").replace(/^[^a-z]+|-+$/gu, "").slice(0, 64)
