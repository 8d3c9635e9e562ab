/** The page of a link whose time is over. */

export const expiredPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>The link has expired</title>
<h1>The link has expired</h1>
<p>Links in emails work for 14 days. <a href="/">Open the console</a> to see what is pending.</p>
</html>
`
