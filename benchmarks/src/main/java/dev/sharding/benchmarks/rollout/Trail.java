package dev.sharding.benchmarks.rollout;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sharding.protocol.ShardingLabels;

/**
 * What the audit log tells of objects and Leases. Read on as often as one likes; not for
 * several threads.
 */
final class Trail {

	/** All that is written to objects and Leases, with what was stored. */
	static final String POLICY = """
			apiVersion: audit.k8s.io/v1
			kind: Policy
			omitStages: [RequestReceived, ResponseStarted]
			omitManagedFields: true
			rules:
			- level: RequestResponse
			  verbs: [create, update, patch, delete]
			  namespaces: ["%s"]
			  resources:
			  - {group: "", resources: [secrets, configmaps]}
			  - {group: coordination.k8s.io, resources: [leases]}
			- level: None
			""".formatted(RolloutShard.NAMESPACE);

	private static final ObjectMapper JSON = new ObjectMapper();

	private static final String OWNER = ShardingLabels.shard(RolloutShard.RING);

	private final Path log;

	private long read;

	private final Map<String, Tracked> objects = new HashMap<>();

	private final Map<String, Held> leases = new HashMap<>();

	private final Map<String, Deque<Wait>> pending = new HashMap<>();

	private final List<Wait> waits = new ArrayList<>();

	private long writes;

	Trail(Path log) {
		this.log = log;
	}

	/** Reads what has been written meanwhile. */
	Trail readOn() throws IOException {
		if (!Files.exists(this.log)) {
			return this;
		}
		byte[] bytes;
		try (InputStream file = Files.newInputStream(this.log)) {
			file.skipNBytes(this.read);
			bytes = file.readAllBytes();
		}
		int from = 0;
		for (int i = 0; i < bytes.length; i++) {
			if (bytes[i] == '\n') {
				see(JSON.readTree(bytes, from, i - from));
				from = i + 1;
			}
		}
		this.read += from;
		return this;
	}

	private void see(JsonNode line) {
		int code = line.path("responseStatus").path("code").asInt();
		if (code < 200 || code >= 300 || line.path("requestURI").asText().contains("dryRun=")) {
			return;
		}
		JsonNode ref = line.path("objectRef");
		JsonNode stored = line.path("responseObject");
		String name = stored.path("metadata").path("name").asText(ref.path("name").asText());
		if (ref.path("resource").asText().equals("leases")) {
			seeLease(name, line, stored);
		}
		else if (!line.path("verb").asText().equals("delete")) {
			seeObject(ref.path("resource").asText().equals("secrets"), name, line, stored);
		}
	}

	private void seeLease(String name, JsonNode line, JsonNode stored) {
		if (line.path("verb").asText().equals("delete")) {
			this.leases.remove(name);
			return;
		}
		JsonNode metadata = stored.path("metadata");
		String holder = stored.path("spec").path("holderIdentity").asText("");
		Held before = this.leases.getOrDefault(name, Held.NOT);
		boolean own = holder.equals(name) && isBy(line, "shard");
		boolean givenBack = holder.isEmpty() && isBy(line, "shard");
		this.leases.put(name,
				new Held(holder.equals(name), metadata.path("labels").path(ShardingLabels.POD).asText(name),
						own ? time(line, "requestReceivedTimestamp") : before.renewed(),
						givenBack ? time(line, "stageTimestamp") : before.givenBack()));
	}

	private void seeObject(boolean main, String name, JsonNode line, JsonNode stored) {
		JsonNode metadata = stored.path("metadata");
		String secret = main ? name : name.substring(RolloutShard.PREFIX.length());
		Tracked tracked = this.objects.computeIfAbsent((main ? "s/" : "c/") + secret, (key) -> new Tracked());
		long version = metadata.path("resourceVersion").asLong();
		if (version <= tracked.version) {
			return;
		}
		tracked.version = version;
		tracked.become(metadata.path("labels").path(OWNER).asText(""));
		// Metadata alone was asked for where there is no data.
		String data = stored.path("data").path("value").asText("");
		int value = data.isEmpty() ? tracked.value : value(data);
		Instant at = time(line, "stageTimestamp");
		boolean byLoad = isBy(line, "writer");
		if (main && byLoad) {
			change(secret, value, at);
		}
		else if (!main && value > tracked.value) {
			serve(secret, value, at);
		}
		else if (!byLoad) {
			this.writes++;
		}
		tracked.value = value;
	}

	private void change(String secret, int value, Instant at) {
		Wait wait = new Wait(secret, value, at);
		this.waits.add(wait);
		Tracked made = this.objects.get("c/" + secret);
		if (made != null && made.value >= value) {
			wait.end = at;
		}
		else {
			this.pending.computeIfAbsent(secret, (key) -> new ArrayDeque<>()).add(wait);
		}
	}

	private void serve(String secret, int value, Instant at) {
		Deque<Wait> open = this.pending.getOrDefault(secret, new ArrayDeque<>());
		open.stream().filter((wait) -> wait.value <= value).forEach((wait) -> wait.end = at);
		open.removeIf((wait) -> wait.value <= value);
		if (open.isEmpty()) {
			this.pending.remove(secret);
		}
	}

	/** Data of a Secret is encoded, and a ConfigMap has what the Secret has. */
	private static int value(String data) {
		return Integer.parseInt(new String(Base64.getDecoder().decode(data), StandardCharsets.US_ASCII));
	}

	private static boolean isBy(JsonNode line, String user) {
		return line.path("user").path("username").asText().endsWith(":" + user);
	}

	private static Instant time(JsonNode line, String stamp) {
		return Instant.parse(line.path(stamp).asText());
	}

	/**
	 * From now on moves and writes count from zero, and waits are those of new changes.
	 */
	void begin() {
		this.waits.clear();
		this.writes = 0;
		this.objects.values().forEach((tracked) -> tracked.moves = 0);
	}

	/** How often an object, main or controlled, got another owner. */
	long moves() {
		return this.objects.values().stream().mapToLong((tracked) -> tracked.moves).sum();
	}

	/** How many objects got another owner more than once. */
	long movedTwice() {
		return this.objects.values().stream().filter((tracked) -> tracked.moves > 1).count();
	}

	/** How many writes there were to objects that were not due to a change. */
	long writes() {
		return this.writes;
	}

	/** The changes, each with its end once it is served. */
	List<Wait> waits() {
		return List.copyOf(this.waits);
	}

	boolean allServed() {
		return this.pending.isEmpty();
	}

	/** How many ConfigMaps there are. */
	long made() {
		return this.objects.keySet().stream().filter((key) -> key.startsWith("c/")).count();
	}

	/** Whose the Secret is, and what was made of it: one name if that is the same. */
	String ownerOf(String secret) {
		Tracked main = this.objects.get("s/" + secret);
		Tracked made = this.objects.get("c/" + secret);
		return (main != null && made != null && main.owner.equals(made.owner)) ? main.owner : "";
	}

	/** The Leases of shards. */
	Map<String, Held> leases() {
		return this.leases;
	}

	/** The Lease of a shard. */
	Held lease(String shard) {
		return this.leases.getOrDefault(shard, Held.NOT);
	}

	/** One object. */
	private static final class Tracked {

		private long version;

		private String owner = "";

		private String lastOwner = "";

		private int moves;

		private int value = -1;

		private void become(String next) {
			if (!next.isEmpty() && !next.equals(this.lastOwner)) {
				this.moves += this.lastOwner.isEmpty() ? 0 : 1;
				this.lastOwner = next;
			}
			this.owner = next;
		}

	}

	/** A change of a Secret that waits until it is served. */
	static final class Wait {

		final String secret;

		private final int value;

		final Instant begin;

		private Instant end;

		private Wait(String secret, int value, Instant begin) {
			this.secret = secret;
			this.value = value;
			this.begin = begin;
			this.end = Instant.MAX;
		}

		Duration lasted() {
			return this.end.isAfter(this.begin) ? Duration.between(this.begin, this.end) : Duration.ZERO;
		}

		Instant end() {
			return this.end;
		}

	}

	/**
	 * A Lease.
	 *
	 * @param held whether its shard holds it
	 * @param pod of its holder, or of the last one
	 * @param renewed when its shard renewed it last
	 * @param givenBack when that was given back last
	 */
	record Held(boolean held, String pod, Instant renewed, Instant givenBack) {

		private static final Held NOT = new Held(false, "", Instant.MIN, Instant.MIN);

	}

}
