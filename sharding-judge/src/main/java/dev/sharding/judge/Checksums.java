package dev.sharding.judge;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Judges the outcome: every Secret has exactly one ConfigMap with the SHA-256 of each of
 * its values and, where that is asked for, with the labels that its users gave it.
 */
final class Checksums {

	/** The label by which a ConfigMap says of which Secret it is. */
	private static final String OF_SECRET = "secret";

	private Checksums() {
	}

	/**
	 * What is not as it should be, in words.
	 * @param labels whether a ConfigMap is to have the labels of its Secret
	 */
	static List<String> lost(List<LiveObject> secrets, List<LiveObject> configMaps, boolean labels) {
		Map<String, List<LiveObject>> byController = configMaps.stream()
			.filter((configMap) -> configMap.controllerUid() != null)
			.collect(Collectors.groupingBy((configMap) -> String.valueOf(configMap.controllerUid())));
		List<String> lost = new ArrayList<>();
		for (LiveObject secret : secrets) {
			List<LiveObject> found = byController.getOrDefault(secret.uid(), List.of());
			if (found.size() != 1) {
				lost.add("%s has %d ConfigMaps, not one".formatted(secret.ref(), found.size()));
			}
			else if (!found.get(0).data().equals(of(secret.data()))) {
				lost.add("%s of version %s: %s of version %s holds the checksums of another version".formatted(
						secret.ref(), secret.resourceVersion(), found.get(0).ref(), found.get(0).resourceVersion()));
			}
			else if (labels && !hasLabelsOf(found.get(0), secret)) {
				lost.add("%s of version %s: %s of version %s has the labels of another version".formatted(secret.ref(),
						secret.resourceVersion(), found.get(0).ref(), found.get(0).resourceVersion()));
			}
		}
		return lost;
	}

	private static boolean hasLabelsOf(LiveObject configMap, LiveObject secret) {
		Map<String, String> labels = RingUnderTest.usersLabels(configMap.labels());
		labels.remove(OF_SECRET);
		return labels.equals(RingUnderTest.usersLabels(secret.labels()));
	}

	/** The checksum of each value of a Secret, whose values are as on the wire. */
	static Map<String, String> of(Map<String, String> data) {
		Map<String, String> checksums = new HashMap<>();
		data.forEach((key, value) -> checksums.put(key, sha256(Base64.getDecoder().decode(value))));
		return checksums;
	}

	private static String sha256(byte[] value) {
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(value));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("This JVM has no SHA-256", ex);
		}
	}

}
