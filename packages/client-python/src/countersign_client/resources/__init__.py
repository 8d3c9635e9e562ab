# Generated from resources/openapi.json by `npm run generate`. Do not edit.
