-- OAuth clients whose id is the address of a metadata document that they publish. Null: the client registered itself.
alter table oauth_clients add column document_until timestamptz;
