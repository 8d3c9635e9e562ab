/** The page at the root of a hub whose console is not built. */

export const unbuiltPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Countersign</title>
<h1>The console is not built</h1>
<p>The hub is running and its API works: the documentation is at <a href="/docs">/docs</a>.</p>
<p>To build the console, run <code>npm run hub -- console</code> in the project's folder, then load this page again.
<code>npm start</code> does it by itself, and says why when it cannot.</p>
</html>
`
