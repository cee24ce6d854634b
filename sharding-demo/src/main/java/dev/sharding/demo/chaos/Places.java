package dev.sharding.demo.chaos;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.sharding.demo.RingSite;
import dev.sharding.judge.JudgeRing;
import dev.sharding.protocol.ShardingLabels;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.jspecify.annotations.Nullable;

/**
 * Looks whether everything is in its place: with the owner that the ring of those who run
 * says, and with checksums and labels that are up to date.
 */
final class Places {

	private static final int EXAMPLES = 3;

	private final KubernetesClient client;

	private final List<RingSite> rings;

	private final Troupe troupe;

	private final Pages pages;

	private final boolean labelled;

	/**
	 * @param labelled whether the checksums of an object have its labels
	 */
	Places(KubernetesClient client, List<RingSite> rings, Troupe troupe, Pages pages, boolean labelled) {
		this.labelled = labelled;
		this.pages = pages;
		this.client = client;
		this.rings = rings;
		this.troupe = troupe;
	}

	/** What is not, a few examples in words; empty if all is well. */
	String wrong() {
		List<String> wrong = new ArrayList<>();
		for (int ring = 0; ring < this.rings.size(); ring++) {
			RingSite site = this.rings.get(ring);
			JudgeRing owners = new JudgeRing(this.troupe.names(ring));
			for (String namespace : site.namespaces()) {
				look(namespace, site, owners, wrong);
				wrong.addAll(this.pages.wrong(namespace, site, owners, this.client));
			}
		}
		return wrong.isEmpty() ? "" : wrong.size() + " objects are not in their places, such as "
				+ String.join("; ", wrong.subList(0, Math.min(EXAMPLES, wrong.size())));
	}

	private void look(String namespace, RingSite site, JudgeRing owners, List<String> wrong) {
		Map<String, ConfigMap> children = new HashMap<>();
		this.client.configMaps()
			.inNamespace(namespace)
			.list()
			.getItems()
			.forEach((child) -> children.put(child.getMetadata().getName(), child));
		for (Secret secret : this.client.secrets().inNamespace(namespace).list().getItems()) {
			String name = secret.getMetadata().getName();
			String owner = String.valueOf(owners.owner("/Secret/" + namespace + "/" + name));
			String what = wrong(secret, children.get("checksums-" + name), owner, site, this.labelled);
			if (!what.isEmpty()) {
				wrong.add("%s/%s, which is for %s: %s".formatted(namespace, name, owner, what));
			}
		}
	}

	static String wrong(Secret secret, @Nullable ConfigMap child, String owner, RingSite site, boolean labelled) {
		if (!owner.equals(owner(secret, site))) {
			return "its owner is '" + owner(secret, site) + "'";
		}
		if (label(secret, ShardingLabels.drain(site.name())) != null) {
			return "it is to be let go";
		}
		if (child == null || !sums(secret).equals(child.getData())) {
			return "its checksums are not up to date";
		}
		if (labelled && !checksumLabels(secret).equals(ownLabels(child))) {
			return "the labels of its checksums are not up to date";
		}
		return owner.equals(owner(child, site)) ? "" : "the owner of its checksums is '" + owner(child, site) + "'";
	}

	/** Whether each Secret has an owner that runs; not while the API server is away. */
	boolean owned() {
		try {
			for (int ring = 0; ring < this.rings.size(); ring++) {
				RingSite site = this.rings.get(ring);
				Set<String> shards = this.troupe.names(ring);
				for (String namespace : site.namespaces()) {
					List<Secret> secrets = this.client.secrets().inNamespace(namespace).list().getItems();
					if (!secrets.stream().allMatch((secret) -> shards.contains(owner(secret, site)))) {
						return false;
					}
				}
			}
			return true;
		}
		catch (KubernetesClientException ex) {
			return false;
		}
	}

	/** Who owns a Secret now, empty if nobody does. */
	String ownerOf(String namespace, String name, RingSite ring) {
		Secret secret = this.client.secrets().inNamespace(namespace).withName(name).get();
		return (secret != null) ? owner(secret, ring) : "";
	}

	static String owner(HasMetadata object, RingSite ring) {
		String label = label(object, ShardingLabels.shard(ring.name()));
		return (label != null) ? label : "";
	}

	private static @Nullable String label(HasMetadata object, String key) {
		Map<String, String> labels = object.getMetadata().getLabels();
		return (labels != null) ? labels.get(key) : null;
	}

	/** The labels of an object, and its name. */
	private static Map<String, String> checksumLabels(Secret secret) {
		Map<String, String> labels = ownLabels(secret);
		labels.put("secret", secret.getMetadata().getName());
		return labels;
	}

	/** Those that are not about its owner. */
	private static Map<String, String> ownLabels(HasMetadata object) {
		Map<String, String> labels = new HashMap<>(object.getMetadata().getLabels());
		labels.keySet().removeIf(ShardingLabels::isSharding);
		return labels;
	}

	private static Map<String, String> sums(Secret secret) {
		Map<String, String> sums = new HashMap<>();
		secret.getData().forEach((key, value) -> sums.put(key, sum(value)));
		return sums;
	}

	private static String sum(String base64) {
		try {
			MessageDigest digest = MessageDigest.getInstance("SHA-256");
			return HexFormat.of()
				.formatHex(digest.digest(Base64.getDecoder().decode(base64.getBytes(StandardCharsets.US_ASCII))));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every JVM has SHA-256", ex);
		}
	}

}
