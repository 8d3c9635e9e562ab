/** Whether `If-None-Match` names a version: `*`, or a list of tags, including weak ones (RFC 9110, 13.1.2). */
export const matches = (header: string | undefined, etag: string): boolean => {
  const plain = (tag: string) => tag.trim().replace(/^W\//, "")
  return header !== undefined && (header.trim() === "*" || header.split(",").some((tag) => plain(tag) === plain(etag)))
}
