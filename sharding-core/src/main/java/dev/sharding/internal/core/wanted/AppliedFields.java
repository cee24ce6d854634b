package dev.sharding.internal.core.wanted;

/**
 * What one apply has brought: the API server may have written the wanted values in
 * another way, so only its answer tells what they look like once they are there.
 *
 * @param wanted the fingerprint of the wanted fields
 * @param content the fingerprint of what was there after the apply
 */
public record AppliedFields(String wanted, String content) {
}
