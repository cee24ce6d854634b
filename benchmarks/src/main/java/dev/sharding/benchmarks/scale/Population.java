package dev.sharding.benchmarks.scale;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;

import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.protocol.ShardingLabels;
import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * Creates Secrets and the ConfigMaps that they control: 1 KiB of data that does not
 * compress, and every other object with 600 bytes of annotations.
 */
final class Population {

	static final String SECRETS = "/api/v1/namespaces/bench/secrets";

	static final String CONFIG_MAPS = "/api/v1/namespaces/bench/configmaps";

	private static final String ANNOTATION = "bench/notes";

	private static final int ANNOTATION_LENGTH = 600 - ANNOTATION.length();

	private final ApiRequests requests;

	private final String data = text(1024);

	private final String note = text(ANNOTATION_LENGTH);

	Population(KubernetesClient client) {
		this.requests = new ApiRequests(client);
	}

	/** Where the hash ring of these shards has the Secret, and what it controls. */
	static Function<String, String> ownersOf(List<String> shards) {
		HashRing ring = HashRing.of(shards);
		return (name) -> Objects.requireNonNull(ring.shardFor(new ShardingKey("", "Secret", Stage.NAMESPACE, name)),
				"There are no shards");
	}

	/**
	 * Creates Secrets.
	 * @param path of the Secrets in their namespace
	 * @param from the number of the first
	 * @param to one more than the number of the last
	 * @param owner of an object, empty for none
	 */
	void createSecrets(String path, int from, int to, Function<String, String> owner) throws InterruptedException {
		create(path, "Secret", from, to, (name) -> labels(owner.apply(name)),
				Base64.getEncoder().encodeToString(this.data.getBytes(StandardCharsets.US_ASCII)));
	}

	/** Creates what Secrets control, which bears the same shard. */
	void createConfigMaps(int from, int to, Function<String, String> owner, Tally secrets) throws InterruptedException {
		create(CONFIG_MAPS, "ConfigMap", from, to, (name) -> labels(owner.apply(name)) + """
				,"ownerReferences":[{"apiVersion":"v1","kind":"Secret","name":"%s","uid":"%s","controller":true}]"""
			.formatted(name, secrets.of(name).uid()), this.data);
	}

	private void create(String path, String kind, int from, int to, Function<String, String> metadata, String value)
			throws InterruptedException {
		System.err.printf("Creating %d objects of kind %s%n", to - from, kind);
		Flight.all(IntStream.range(from, to).boxed().toList(), (number) -> {
			String name = "object-" + number;
			String body = "{\"apiVersion\":\"v1\",\"kind\":\"%s\",\"metadata\":{\"name\":\"%s\"%s%s},\"data\":{\"d\":\"%s\"}}"
				.formatted(kind, name,
						(number % 2 == 0) ? "" : ",\"annotations\":{\"" + ANNOTATION + "\":\"" + this.note + "\"}",
						metadata.apply(name), value);
			return this.requests.send(ApiRequest.of("POST", path, MediaTypes.JSON, body)
				.accept(MediaTypes.METADATA)
				.timeout(Duration.ofMinutes(1)));
		});
	}

	private static String labels(String owner) {
		return owner.isEmpty() ? "" : ",\"labels\":{\"" + ShardingLabels.shard(Stage.RING) + "\":\"" + owner + "\"}";
	}

	private static String text(int length) {
		byte[] random = new byte[length];
		new Random(length).nextBytes(random);
		return Base64.getEncoder().encodeToString(random).substring(0, length);
	}

}
