-- Mails to people about their own account are sealed like invites.
alter table mails drop constraint mails_kind_check;

alter table mails add constraint mails_kind_check check (kind in ('invite', 'account', 'notices'));

alter table mails drop constraint mails_check1;

alter table mails add constraint mails_sealed check (status <> 'pending' or kind = 'notices' or sealed is not null);
