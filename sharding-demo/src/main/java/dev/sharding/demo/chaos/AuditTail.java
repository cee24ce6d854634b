package dev.sharding.demo.chaos;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sharding.demo.Names;
import dev.sharding.demo.RingSite;
import dev.sharding.protocol.ShardingLabels;

/**
 * Follows the audit log while it is written: who leads, who has a Lease, and what faults
 * can wait for. Times are those of {@link System#nanoTime()}.
 */
final class AuditTail implements AutoCloseable {

	private static final long LOOK_EVERY_MILLIS = 50;

	private static final String TAKEN = "\"holderIdentity\":\"shardlease-controller\"";

	private final ObjectMapper json = new ObjectMapper();

	private final List<RingSite> rings;

	private final Map<String, Long> seen = new ConcurrentHashMap<>();

	/** The Lease that each user wrote last, of those that are shards. */
	private final Map<String, String> names = new ConcurrentHashMap<>();

	/** When each user wrote a Lease the last time. */
	private final Map<String, Long> leases = new ConcurrentHashMap<>();

	private final Thread thread;

	private volatile String leader = "";

	private volatile boolean closed;

	AuditTail(Path log, List<RingSite> rings) {
		this.rings = rings;
		this.thread = new Thread(() -> follow(log), "audit-tail");
		this.thread.setDaemon(true);
		this.thread.start();
	}

	/** The user that leads, empty before there is one. */
	String leader() {
		return this.leader;
	}

	/** Whether that user has ever written a Lease. */
	boolean hasLease(String user) {
		return this.leases.containsKey(user);
	}

	/** The Lease that this user, a shard, wrote last; empty if it never did. */
	String leaseOf(String user) {
		return this.names.getOrDefault(user, "");
	}

	/** Whether that user has written a Lease after that time. */
	boolean renewedSince(String user, long nanos) {
		Long last = this.leases.get(user);
		return last != null && last - nanos > 0;
	}

	/** Whether that was to be seen after that time. */
	boolean seenSince(Sight sight, String ring, long nanos) {
		Long last = this.seen.get(sight + ring);
		return last != null && last - nanos > 0;
	}

	private void follow(Path log) {
		try (BufferedReader lines = new BufferedReader(
				new InputStreamReader(Files.newInputStream(log), StandardCharsets.UTF_8))) {
			StringBuilder line = new StringBuilder();
			while (!this.closed) {
				int read = lines.read();
				if (read < 0) {
					LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(LOOK_EVERY_MILLIS));
				}
				else if (read == '\n') {
					look(line.toString());
					line.setLength(0);
				}
				else {
					line.append((char) read);
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Failed to follow " + log, ex);
		}
	}

	private void look(String line) {
		if (line.contains("\"stage\":\"ResponseComplete\"") && line.contains(":serviceaccount:default:shard")) {
			try {
				look(this.json.readTree(line));
			}
			catch (JsonProcessingException ex) {
				// An API server that was killed left half of it.
			}
		}
	}

	private void look(JsonNode line) {
		String user = line.path("user").path("username").asText();
		String verb = line.path("verb").asText();
		int code = line.path("responseStatus").path("code").asInt();
		if (code >= 300 || !verb.equals("create") && !verb.equals("update") && !verb.equals("patch")) {
			return;
		}
		user = user.substring(user.lastIndexOf(':') + 1);
		JsonNode object = line.path("objectRef");
		if (object.path("resource").asText().equals("leases")) {
			lease(user, object, line.path("requestObject").toString());
		}
		else if (user.startsWith("sharder")) {
			String request = line.path("requestObject").toString();
			for (RingSite ring : this.rings) {
				if (request.contains("\"" + ShardingLabels.drain(ring.name()) + "\":\"")) {
					saw(Sight.DRAIN, ring);
				}
				if (request.contains("\"" + ShardingLabels.shard(ring.name()) + "\":\"")) {
					saw(Sight.MOVE, ring);
				}
			}
		}
	}

	private void lease(String user, JsonNode object, String request) {
		boolean election = object.path("namespace").asText().equals(Names.SYSTEM_NAMESPACE);
		if (election && !request.contains("\"holderIdentity\":\"\"")) {
			this.leader = user;
			this.leases.put(user, System.nanoTime());
		}
		else if (user.startsWith("shard.")) {
			this.leases.put(user, System.nanoTime());
			this.names.put(user, object.path("name").asText());
		}
		else if (request.contains(TAKEN)) {
			this.rings.stream()
				.filter((ring) -> ring.leaseNamespace().equals(object.path("namespace").asText()))
				.forEach((ring) -> saw(Sight.TAKE, ring));
		}
	}

	private void saw(Sight sight, RingSite ring) {
		this.seen.put(sight + ring.name(), System.nanoTime());
	}

	@Override
	public void close() {
		this.closed = true;
	}

}
