package dev.sharding.judge;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Writes small audit logs by hand, in the form in which the API server writes them. */
final class AuditLines {

	static final Instant START = Instant.parse("2026-11-21T12:00:00Z");

	private static final String SHARD_USER = "system:serviceaccount:default:shard.";

	private final List<String> lines = new ArrayList<>();

	private final Map<String, String> owners = new HashMap<>();

	private final Map<String, String> values = new HashMap<>();

	private final Map<String, String> teams = new HashMap<>();

	private final Map<String, Long> versions = new HashMap<>();

	private long version = 100;

	private long acquired;

	private int requests;

	private int lastUnanswered;

	private String selector = "";

	private String unfinished = "";

	private String ring = "checksums";

	private String leaseNamespace = "default";

	private final Set<String> annotated = new HashSet<>();

	private final Map<String, Integer> deletions = new HashMap<>();

	/** What is gone by now: the next of that name is another one. */
	private final Set<String> letGo = new HashSet<>();

	/** The Secrets whose ConfigMap is deleted. */
	private final Set<String> withoutDerived = new HashSet<>();

	private final Map<String, Long> ahead = new HashMap<>();

	/** The Lease of a shard, held by itself. */
	AuditLines lease(long at, String shard, int seconds) {
		return lease(at, SHARD_USER + shard, shard, shard, seconds);
	}

	AuditLines lease(long at, String user, String shard, String holder, int seconds) {
		return lease(at, user, "update", shard, holder, seconds);
	}

	private AuditLines lease(long at, String user, String verb, String shard, String holder, int seconds) {
		String body = """
				{"kind":"Lease","metadata":{"name":"%s","namespace":"%s","resourceVersion":"%d",\
				"labels":{"alpha.sharding.timebertt.dev/controllerring":"%s"}},\
				"spec":{"holderIdentity":"%s","leaseDurationSeconds":%d,"renewTime":"%s"}}""".formatted(shard,
				this.leaseNamespace, ++this.version, this.ring, holder, seconds,
				START.plusMillis(at + this.ahead.getOrDefault(user, 0L)));
		return line(at, user, verb, "coordination.k8s.io", "leases", this.leaseNamespace, shard, 200, "{}", body);
	}

	/**
	 * The holder of a Lease gives it back, and its objects wait for the next one.
	 * @param start when the grace began
	 * @param marked when it says that it gave the Lease back
	 */
	AuditLines giveBack(long at, String user, String shard, int grace, long start, long marked) {
		Instant now = START.plusMillis(at);
		String body = """
				{"kind":"Lease","metadata":{"name":"%s","namespace":"%s","resourceVersion":"%d","uid":"u",\
				"labels":{"alpha.sharding.timebertt.dev/controllerring":"%s"},\
				"annotations":{"sharding.dev/instance-id":"%s","sharding.dev/grace":"%d","sharding.dev/grace-start":"%s",\
				"sharding.dev/given-back":"7/%s/u"}},"spec":{"holderIdentity":"","leaseDurationSeconds":1,\
				"acquireTime":"%s","renewTime":"%s","leaseTransitions":7}}"""
			.formatted(shard, this.leaseNamespace, ++this.version, this.ring, user, grace, START.plusMillis(start),
					START.plusMillis(marked), now, now);
		return line(at, user, "update", "coordination.k8s.io", "leases", this.leaseNamespace, shard, 200, "{}", body);
	}

	AuditLines deleteLease(long at, String user, String shard) {
		return line(at, user, "delete", "coordination.k8s.io", "leases", shard, 200, "{}", "{\"kind\":\"Status\"}");
	}

	/** The Lease had changed meanwhile. */
	AuditLines leaseRefused(long at, String user, String shard) {
		return line(at, user, "update", "coordination.k8s.io", "leases", shard, 409, "{}", "{\"kind\":\"Status\"}");
	}

	AuditLines createLease(long at, String user, String shard, int seconds) {
		return createLease(at, user, shard, shard, seconds);
	}

	AuditLines createLease(long at, String user, String shard, String holder, int seconds) {
		return lease(at, user, "create", shard, holder, seconds);
	}

	/** From now on the clock of that process is ahead. */
	AuditLines clock(String user, long aheadMillis) {
		this.ahead.put(user, aheadMillis);
		return this;
	}

	/** From now on Leases are of that ring and in that namespace. */
	AuditLines leasesOf(String ring, String namespace) {
		this.ring = ring;
		this.leaseNamespace = namespace;
		return this;
	}

	/** From now on whoever leads has begun to at that time. */
	AuditLines acquired(long at) {
		this.acquired = at;
		return this;
	}

	/** A process of the sharder leads, or gives that up if the holder is empty. */
	AuditLines lead(long at, String user, String holder) {
		String body = """
				{"kind":"Lease","metadata":{"name":"sharder","resourceVersion":"%d"},\
				"spec":{"holderIdentity":"%s","leaseDurationSeconds":6,"acquireTime":"%s"}}""".formatted(++this.version,
				holder, START.plusMillis(this.acquired));
		return line(at, user, "update", "coordination.k8s.io", "leases", "sharding-system", "sharder", 200, "{}", body);
	}

	/** The user gives a Secret another value. */
	AuditLines change(long at, String name, String value) {
		return change(at, "writer", name, value);
	}

	private AuditLines change(long at, String user, String name, String value) {
		this.values.put(name, encoded(value));
		return own(at, user, name, this.owners.getOrDefault(name, ""));
	}

	private static String encoded(String value) {
		return Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8));
	}

	/** The user gives a Secret a label, and one more version of it is stored. */
	AuditLines relabel(long at, String name, String team) {
		String patch = """
				{"metadata":{"labels":{"team":"%s"}}}""".formatted(team);
		this.teams.put(name, team);
		return line(at, "writer", "patch", "", "secrets", name, 200, patch,
				secret(name, this.owners.getOrDefault(name, "")));
	}

	/** The user gives a Secret an annotation. */
	AuditLines annotate(long at, String name) {
		this.annotated.add(name);
		return own(at, "writer", name, this.owners.getOrDefault(name, ""));
	}

	/** Whoever writes a Secret next takes that annotation off. */
	AuditLines takeAnnotation(String name) {
		this.annotated.remove(name);
		return this;
	}

	/** Somebody takes that label off. */
	AuditLines takeLabel(long at, String user, String name) {
		this.teams.remove(name);
		return own(at, user, name, this.owners.getOrDefault(name, ""));
	}

	/** Somebody writes a whole Secret as it was once, with that value. */
	AuditLines writeBack(long at, String user, String name, String value) {
		return change(at, user, name, value);
	}

	/** The same, with an answer that has no data. */
	AuditLines sendBack(long at, String user, String name, String value) {
		String body = secret(name, this.owners.getOrDefault(name, ""));
		this.values.put(name, encoded(value));
		String sent = secret(name, this.owners.getOrDefault(name, ""));
		this.version--;
		this.versions.put(name, this.version);
		return line(at, user, "patch", "", "secrets", name, 200, ofVersion(sent, this.version),
				body.replace("\"kind\":\"Secret\"", "\"kind\":\"PartialObjectMetadata\"")
					.replaceFirst(",\"data\":.*", "}"));
	}

	/** The user patches a Secret with what it has, so that nothing new is stored. */
	AuditLines repeated(long at, String name) {
		String body = secret(name, this.owners.getOrDefault(name, ""));
		long kept = --this.version;
		this.versions.put(name, kept);
		return line(at, "writer", "patch", "", "secrets", name, 200, "{\"data\":{\"giant\":null}}",
				body.replace("\"resourceVersion\":\"" + (kept + 1), "\"resourceVersion\":\"" + kept));
	}

	/** A shard writes the ConfigMap of a Secret, as it should be. */
	AuditLines serve(long at, String shard, String secret) {
		return serve(at, SHARD_USER + shard, shard, secret);
	}

	/** The ConfigMap of a Secret, as it is, gets another label. */
	AuditLines serve(long at, String user, String label, String secret) {
		return serve(at, user, label, secret, this.versions.getOrDefault(secret, 0L));
	}

	/**
	 * @param stamp the version that it says it was made from, 0 if it does not say
	 */
	AuditLines serve(long at, String user, String label, String secret, long stamp) {
		String value = this.values.get(secret);
		String data = (value == null) ? "" : "\"value\":\"" + Checksums.of(Map.of("value", value)).get("value") + "\"";
		String annotations = (stamp == 0) ? "" : "\"checksums.example/secret-version\":\"" + stamp + "\"";
		String body = """
				{"kind":"ConfigMap","metadata":{"name":"checksums-%s","namespace":"default","resourceVersion":"%d",\
				"labels":%s,"annotations":{%s},\
				"ownerReferences":[{"apiVersion":"v1","kind":"Secret","name":"%s","uid":"%s","controller":true}]},"data":{%s}}"""
			.formatted(secret, ++this.version, labels(label), annotations, secret, uid(secret), data);
		String verb = this.withoutDerived.remove(secret) ? "create" : "update";
		return line(at, user, verb, "", "configmaps", "checksums-" + secret, 200, body, body);
	}

	long versionOf(String secret) {
		return this.versions.getOrDefault(secret, 0L);
	}

	/** A request that was never answered. */
	AuditLines unanswered(long at, String user, String verb, String resource, String name) {
		this.lines.add(received(at, user, verb, "", resource, "default", name, ""));
		this.lastUnanswered = this.requests++;
		return this;
	}

	/** The id of that request. */
	int lastUnanswered() {
		return this.lastUnanswered;
	}

	/** A shard lists with that label selector. */
	AuditLines list(long at, String user, String resource, String selector) {
		return list(at, user, resource, "", selector);
	}

	/** A shard lists what has that name and that label selector. */
	AuditLines list(long at, String user, String resource, String name, String selector) {
		this.selector = selector;
		line(at, user, "list", "", resource, name, 200, "null", "null");
		this.selector = "";
		return this;
	}

	/**
	 * A bare client writes, and says 100 ms later by how much it was late with that and
	 * how long it took.
	 */
	AuditLines probe(long at, long late, long millis) {
		return probeLine(at, 0, 0).probeLine(at + 100, late, millis);
	}

	private AuditLines probeLine(long at, long late, long millis) {
		String body = """
				{"metadata":{"name":"judge-probe","resourceVersion":"%d"},"data":{"late":"%d","millis":"%d"}}"""
			.formatted(++this.version, late, millis);
		return line(at, "probe", "patch", "", "configmaps", "sharding-system", "judge-probe", 200, "{}", body);
	}

	/** A shard sends the ConfigMap of a Secret of a version that is not the last one. */
	AuditLines serveFrom(long at, String shard, String secret, long read) {
		String body = """
				{"kind":"ConfigMap","metadata":{"name":"checksums-%s","namespace":"default","resourceVersion":"%d",\
				"labels":%s,"ownerReferences":[{"apiVersion":"v1","kind":"Secret","name":"%s","controller":true}]}}"""
			.formatted(secret, read, labels(shard), secret);
		return line(at, SHARD_USER + shard, "update", "", "configmaps", "checksums-" + secret, 409, body,
				"{\"kind\":\"Status\"}");
	}

	/** A shard creates the ConfigMap of a Secret that is there already. */
	AuditLines createAgain(long at, String shard, String secret) {
		String body = """
				{"kind":"ConfigMap","metadata":{"name":"checksums-%s","namespace":"default",\
				"labels":%s,"ownerReferences":[{"apiVersion":"v1","kind":"Secret","name":"%s","controller":true}]}}"""
			.formatted(secret, labels(shard), secret);
		return line(at, SHARD_USER + shard, "create", "", "configmaps", "checksums-" + secret, 409, body,
				"{\"kind\":\"Status\"}");
	}

	/** The version of what was stored last. */
	long version() {
		return this.version;
	}

	/** A Secret is deleted, and waits for its finalizer. */
	AuditLines deleteSlowly(long at, String name) {
		return line(at, "writer", "delete", "", "secrets", name, 200, "{}", waiting(name));
	}

	/** A deletion of what is deleted already stores nothing: its answer is the state. */
	AuditLines deleteAgainAt(long at, String name, long version) {
		return line(at, "writer", "delete", "", "secrets", name, 200, "{}", ofVersion(waiting(name), version));
	}

	private String waiting(String name) {
		return secret(name, this.owners.getOrDefault(name, "")).replace("\"namespace\"",
				"\"deletionTimestamp\":\"2026-11-21T12:00:00Z\",\"finalizers\":[\"demo/checksums\"],\"namespace\"");
	}

	private static String ofVersion(String body, long version) {
		return body.replaceFirst("\"resourceVersion\":\"\\d+\"", "\"resourceVersion\":\"" + version + "\"");
	}

	/** Its owner lets it go, and the answer has the version of the last state. */
	AuditLines letGoAt(long at, String user, String name, long version) {
		String body = secret(name, this.owners.getOrDefault(name, "")).replace("\"namespace\"",
				"\"deletionTimestamp\":\"2026-11-21T12:00:00Z\",\"namespace\"");
		this.letGo.add(name);
		String patch = """
				{"metadata":{"resourceVersion":"%d","finalizers":null}}""".formatted(version);
		return line(at, user, "patch", "", "secrets", name, 200, patch, ofVersion(body, version));
	}

	/** Its owner lets it go. */
	AuditLines letGo(long at, String user, String name) {
		String body = secret(name, this.owners.getOrDefault(name, "")).replace("\"namespace\"",
				"\"deletionTimestamp\":\"2026-11-21T12:00:00Z\",\"namespace\"");
		return line(at, user, "patch", "", "secrets", name, 200, "{}", body);
	}

	/** A Secret is to be let go by its owner. */
	AuditLines drain(long at, String user, String name) {
		String body = secret(name, this.owners.getOrDefault(name, "")).replace("\"labels\":{",
				"\"labels\":{\"drain.alpha.sharding.timebertt.dev/checksums\":\"true\",");
		return line(at, user, "patch", "", "secrets", name, 200, "{}", body);
	}

	/** A Secret gets an owner by a merge patch that says nothing of versions. */
	AuditLines patchBlindly(long at, String user, String name, String shard) {
		String patch = patchOf(name, shard).replaceFirst("\"resourceVersion\":\"\\d+\",", "");
		return line(at, user, "patch", "", "secrets", name, 200, patch, secret(name, shard));
	}

	/** A Secret is created without an owner. */
	AuditLines createSecret(long at, String name) {
		if (this.letGo.remove(name)) {
			this.deletions.merge(name, 1, Integer::sum);
		}
		return line(at, "writer", "create", "", "secrets", name, 201, "{}", secret(name, ""));
	}

	/** A Secret gets an owner, or loses it if that is empty. */
	AuditLines own(long at, String user, String name, String shard) {
		return line(at, user, "patch", "", "secrets", name, 200, "{}", secret(name, shard));
	}

	/**
	 * A Secret gets an owner, or loses it if that is empty, by a merge patch that says of
	 * which version it was decided.
	 */
	AuditLines patch(long at, String user, String name, String shard) {
		String patch = patchOf(name, shard);
		return line(at, user, "patch", "", "secrets", name, 200, patch, secret(name, shard));
	}

	/** The same by one who is gone before the answer. */
	AuditLines abandonedPatch(long at, String user, String name, String shard, boolean stored) {
		String patch = patchOf(name, shard);
		if (stored) {
			secret(name, shard);
		}
		return line(at, user, "patch", "", "secrets", name, 504, patch, "{\"kind\":\"Status\"}");
	}

	private String patchOf(String name, String shard) {
		String owner = shard.isEmpty() ? "null" : "\"" + shard + "\"";
		return """
				{"metadata":{"resourceVersion":"%d","labels":{"shard.alpha.sharding.timebertt.dev/checksums":%s}}}"""
			.formatted(versionOf(name), owner);
	}

	AuditLines deleteSecret(long at, String name) {
		this.deletions.merge(name, 1, Integer::sum);
		return line(at, "writer", "delete", "", "secrets", name, 200, "{}", "{\"kind\":\"Status\"}");
	}

	/** The ConfigMap of a Secret is deleted. */
	AuditLines deleteDerived(long at, String secret) {
		return deleteDerived(at, "writer", secret);
	}

	AuditLines deleteDerived(long at, String user, String secret) {
		this.withoutDerived.add(secret);
		return line(at, user, "delete", "", "configmaps", "checksums-" + secret, 200, "{}", "{\"kind\":\"Status\"}");
	}

	/** A shard writes the ConfigMap of a Secret. */
	AuditLines derive(long at, String shard, String secret) {
		return derive(at, SHARD_USER + shard, secret, shard, 200);
	}

	AuditLines derive(long at, String user, String secret, String label, int code) {
		String body = """
				{"kind":"ConfigMap","metadata":{"name":"checksums-%s","namespace":"default","resourceVersion":"%d",\
				"labels":%s,"ownerReferences":[{"apiVersion":"v1","kind":"Secret","name":"%s","uid":"%s",\
				"controller":true}]}}""".formatted(secret, ++this.version, labels(label), secret, uid(secret));
		return line(at, user, "update", "", "configmaps", "checksums-" + secret, code, body, body);
	}

	/** Somebody touches the ConfigMap of a Secret, which bears that label. */
	AuditLines touch(long at, String user, String secret, String label) {
		return line(at, user, "patch", "", "configmaps", "checksums-" + secret, 200,
				"""
						{"metadata":{"resourceVersion":"%d","annotations":{"sharding.dev/touched":"one"}}}"""
					.formatted(this.version),
				"""
						{"kind":"PartialObjectMetadata","metadata":{"name":"checksums-%s","namespace":"default","resourceVersion":"%d",\
						"labels":%s,"ownerReferences":[{"apiVersion":"v1","kind":"Secret","name":"%s","uid":"%s",\
						"controller":true}]}}"""
					.formatted(secret, ++this.version, labels(label), secret, uid(secret)));
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

	AuditLines mark(long at, String step, String phase) {
		return mark(at, step, phase, "", 0);
	}

	AuditLines mark(long at, String step, String phase, String subject, int workers) {
		String body = """
				{"metadata":{"name":"judge-mark"},\
				"data":{"step":"%s","phase":"%s","subject":"%s","workers":"%d"}}""".formatted(step, phase, subject,
				workers);
		return line(at, "conductor", "patch", "", "configmaps", "sharding-system", "judge-mark", 200, "{}", body);
	}

	private String uid(String secret) {
		return secret + "-" + this.deletions.getOrDefault(secret, 0);
	}

	private String secret(String name, String shard) {
		this.owners.put(name, shard);
		this.versions.put(name, ++this.version);
		String value = this.values.get(name);
		String data = (value == null) ? "" : "\"value\":\"" + value + "\"";
		String annotations = this.annotated.contains(name) ? "{\"of\":\"a user\"}" : "{}";
		return """
				{"kind":"Secret","metadata":{"name":"%s","namespace":"default","uid":"%s","resourceVersion":"%d",\
				"annotations":%s,"labels":%s},"data":{%s}}""".formatted(name, uid(name), this.version, annotations,
				labels(shard, this.teams.getOrDefault(name, "")), data);
	}

	private static String labels(String shard) {
		return labels(shard, "");
	}

	private static String labels(String shard, String team) {
		Map<String, String> labels = new TreeMap<>(
				Map.of("shard.alpha.sharding.timebertt.dev/checksums", shard, "team", team));
		labels.values().removeIf(String::isEmpty);
		return labels.entrySet()
			.stream()
			.map((label) -> "\"" + label.getKey() + "\":\"" + label.getValue() + "\"")
			.collect(Collectors.joining(",", "{", "}"));
	}

	private AuditLines line(long at, String user, String verb, String group, String resource, String name, int code,
			String request, String response) {
		return line(at, user, verb, group, resource, "default", name, code, request, response);
	}

	/**
	 * Each request takes 10 ms, and is written down when it comes and when it is done.
	 */
	private AuditLines line(long at, String user, String verb, String group, String resource, String namespace,
			String name, int code, String request, String response) {
		String more = """
				,"responseStatus":{"code":%d},"requestObject":%s,"responseObject":%s""".formatted(code, request,
				response);
		String received = received(at, user, verb, group, resource, namespace, name, "");
		this.lines.add(received);
		String completed = received(at, user, verb, group, resource, namespace, name, more)
			.replace("RequestReceived", "ResponseComplete")
			.replace("\"stageTimestamp\":\"" + START.plusMillis(at),
					"\"stageTimestamp\":\"" + START.plusMillis(at + 10));
		this.lines.add(completed);
		this.requests++;
		return this;
	}

	private String received(long at, String user, String verb, String group, String resource, String namespace,
			String name, String more) {
		return """
				{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","stage":"RequestReceived",\
				"auditID":"%d","requestURI":"/x?labelSelector=%s","verb":"%s","user":{"username":"%s"},\
				"objectRef":{"resource":"%s","namespace":"%s","name":"%s","apiGroup":"%s"}%s,\
				"requestReceivedTimestamp":"%s","stageTimestamp":"%s"}""".formatted(this.requests,
				URLEncoder.encode(this.selector, StandardCharsets.UTF_8), verb, user, resource, namespace, name, group,
				more, START.plusMillis(at), START.plusMillis(at));
	}

	/** The last line, whose end is not written yet. */
	AuditLines unfinished(String begin) {
		this.unfinished = begin;
		return this;
	}

	List<AuditEvent> read(Path directory) throws IOException {
		return new AuditLog(write(directory), Files.writeString(directory.resolve("server.log"), "")).read();
	}

	Path write(Path directory) throws IOException {
		String finished = this.lines.stream().map((line) -> line + "\n").collect(Collectors.joining());
		return Files.writeString(directory.resolve("audit.jsonl"), finished + this.unfinished);
	}

}
