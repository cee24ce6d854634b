/**
 * An operator for a custom resource of its own: in goes a {@code Website}, out come a page,
 * a server, an address and a record in a DNS.
 */
package com.example.website;
