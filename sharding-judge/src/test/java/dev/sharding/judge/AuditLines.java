package dev.sharding.judge;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes small audit logs by hand, in the form in which the API server writes them. */
final class AuditLines {

	static final Instant START = Instant.parse("2026-11-21T12:00:00Z");

	private static final String SHARD_USER = "system:serviceaccount:default:shard.";

	private final List<String> lines = new ArrayList<>();

	private long version = 100;

	/** The Lease of a shard, held by itself. */
	AuditLines lease(long at, String shard, int seconds) {
		return lease(at, SHARD_USER + shard, shard, shard, seconds);
	}

	AuditLines lease(long at, String user, String shard, String holder, int seconds) {
		String body = """
				{"kind":"Lease","metadata":{"name":"%s","namespace":"default","resourceVersion":"%d",\
				"labels":{"alpha.sharding.timebertt.dev/controllerring":"checksums"}},\
				"spec":{"holderIdentity":"%s","leaseDurationSeconds":%d}}""".formatted(shard, ++this.version, holder,
				seconds);
		return line(at, user, "update", "coordination.k8s.io", "leases", shard, 200, "{}", body);
	}

	/** A Secret is created without an owner. */
	AuditLines createSecret(long at, String name) {
		return line(at, "writer", "create", "", "secrets", name, 201, "{}", secret(name, ""));
	}

	/** A Secret gets an owner, or loses it if that is empty. */
	AuditLines own(long at, String user, String name, String shard) {
		return line(at, user, "patch", "", "secrets", name, 200, "{}", secret(name, shard));
	}

	AuditLines deleteSecret(long at, String name) {
		return line(at, "writer", "delete", "", "secrets", name, 200, "{}", "{\"kind\":\"Status\"}");
	}

	/** A shard writes the ConfigMap of a Secret. */
	AuditLines derive(long at, String shard, String secret) {
		return derive(at, SHARD_USER + shard, secret, shard, 200);
	}

	AuditLines derive(long at, String user, String secret, String label, int code) {
		String body = """
				{"kind":"ConfigMap","metadata":{"name":"checksums-%s","namespace":"default","resourceVersion":"%d",\
				"labels":%s,"ownerReferences":[{"apiVersion":"v1","kind":"Secret","name":"%s","controller":true}]}}"""
			.formatted(secret, ++this.version, labels(label), secret);
		return line(at, user, "update", "", "configmaps", "checksums-" + secret, code, body, body);
	}

	/** A shard begins to send the ConfigMap of a Secret, and keeps back the body. */
	AuditLines withoutBody(long at, String shard, String secret) {
		return line(at, SHARD_USER + shard, "update", "", "configmaps", "checksums-" + secret, 400, "null", "{}");
	}

	AuditLines request(long at, String user, String verb, String resource, String name) {
		return request(at, user, verb, resource, name, 200);
	}

	AuditLines request(long at, String user, String verb, String resource, String name, int code) {
		return line(at, user, verb, "", resource, name, code, "{}", "{}");
	}

	AuditLines begin(long at, String step) {
		return mark(at, step, "begin");
	}

	AuditLines quiescent(long at, String step) {
		return mark(at, step, "quiescent");
	}

	private AuditLines mark(long at, String step, String phase) {
		String body = "{\"metadata\":{\"name\":\"judge-mark\"},\"data\":{\"step\":\"%s\",\"phase\":\"%s\"}}"
			.formatted(step, phase);
		return line(at, "conductor", "patch", "", "configmaps", "sharding-system", "judge-mark", 200, "{}", body);
	}

	private String secret(String name, String shard) {
		return """
				{"kind":"Secret","metadata":{"name":"%s","namespace":"default","resourceVersion":"%d","labels":%s}}"""
			.formatted(name, ++this.version, labels(shard));
	}

	private static String labels(String shard) {
		Map<String, String> labels = shard.isEmpty() ? Map.of()
				: Map.of("shard.alpha.sharding.timebertt.dev/checksums", shard);
		return labels.entrySet()
			.stream()
			.map((label) -> "\"" + label.getKey() + "\":\"" + label.getValue() + "\"")
			.collect(Collectors.joining(",", "{", "}"));
	}

	private AuditLines line(long at, String user, String verb, String group, String resource, String name, int code,
			String request, String response) {
		return line(at, user, verb, group, resource, "default", name, code, request, response);
	}

	/** Each request takes 10 ms. */
	private AuditLines line(long at, String user, String verb, String group, String resource, String namespace,
			String name, int code, String request, String response) {
		this.lines.add("""
				{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","stage":"ResponseComplete",\
				"requestURI":"/x","verb":"%s","user":{"username":"%s"},"objectRef":{"resource":"%s","namespace":"%s",\
				"name":"%s","apiGroup":"%s"},"responseStatus":{"code":%d},"requestObject":%s,"responseObject":%s,\
				"requestReceivedTimestamp":"%s","stageTimestamp":"%s"}""".formatted(verb, user, resource, namespace,
				name, group, code, request, response, START.plusMillis(at), START.plusMillis(at + 10)));
		return this;
	}

	/** An arbitrary line. */
	AuditLines raw(String line) {
		this.lines.add(line);
		return this;
	}

	List<AuditEvent> read(Path directory) throws IOException {
		return AuditLog.read(Files.writeString(directory.resolve("audit.jsonl"), String.join("\n", this.lines)));
	}

}
