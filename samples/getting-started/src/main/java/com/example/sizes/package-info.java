/** A sharded controller, made from nothing as docs/getting-started.md tells: Secrets come in, ConfigMaps go out. */
package com.example.sizes;
