package dev.sharding.controller;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.client.ApiException;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;

/**
 * Records Kubernetes Events ({@code events.k8s.io/v1}), those that
 * {@code kubectl describe} shows below an object. Calls return at once and never fail:
 * events are for people, and may get lost. Safe for use by many threads.
 */
public final class EventRecorder {

	private static final Logger logger = LoggerFactory.getLogger(EventRecorder.class);

	private static final DateTimeFormatter MICROS = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'")
		.withZone(ZoneOffset.UTC);

	private static final String PATH = "/apis/events.k8s.io/v1/namespaces/";

	private static final int MAX_UNDER_WAY = 100;

	private static final int MAX_NOTE = 1024;

	private static final int MAX_WORD = 128;

	private static final int MAX_NAME = 236;

	private static final Pattern SUBDOMAIN = Pattern
		.compile("[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*");

	private static final int MAX_CONTROLLER = 63;

	private final ApiRequests requests;

	private final KubernetesSerialization serialization;

	private final String controller;

	private final Supplier<String> instance;

	private final InstantSource clock;

	private final EventSeries series = new EventSeries();

	private final AtomicInteger underWay = new AtomicInteger();

	/**
	 * Creates a recorder.
	 * @param requests sends the events
	 * @param serialization writes them
	 * @param controller who reports, such as {@code sharding.timebertt.dev/checksums}; of
	 * the part after the slash what the API server would refuse becomes a hyphen
	 * @param instance which process reports, such as the name of the shard
	 * @param clock tells the time of an event
	 */
	public EventRecorder(ApiRequests requests, KubernetesSerialization serialization, String controller,
			String instance, InstantSource clock) {
		this(requests, serialization, controller, () -> instance, clock);
	}

	/**
	 * Creates a recorder for a process whose name changes.
	 * @param requests sends the events
	 * @param serialization writes them
	 * @param controller who reports, such as {@code sharding.timebertt.dev/checksums}
	 * @param instance tells which process reports at the moment of an event
	 * @param clock tells the time of an event
	 */
	public EventRecorder(ApiRequests requests, KubernetesSerialization serialization, String controller,
			Supplier<String> instance, InstantSource clock) {
		this.requests = requests;
		this.serialization = serialization;
		this.controller = qualified(controller);
		this.instance = instance;
		this.clock = clock;
	}

	/**
	 * Records that something went as it should.
	 * @param regarding the object that the event is about
	 * @param reason why, one word in CamelCase, such as {@code Created}
	 * @param action what was done, one word in CamelCase, such as {@code Reconcile}
	 * @param note a sentence for people, without secrets
	 */
	public void normal(HasMetadata regarding, String reason, String action, String note) {
		safely(() -> record(referenceTo(regarding), "Normal", reason, action, note));
	}

	/**
	 * Records that something went wrong.
	 * @param regarding the object that the event is about
	 * @param reason why, one word in CamelCase, such as {@code LeaseLost}
	 * @param action what was done, one word in CamelCase, such as {@code Renew}
	 * @param note a sentence for people, without secrets
	 */
	public void warning(HasMetadata regarding, String reason, String action, String note) {
		safely(() -> record(referenceTo(regarding), "Warning", reason, action, note));
	}

	/**
	 * Records that something went as it should with an object of which only the reference
	 * is known.
	 * @param regarding the object that the event is about
	 * @param reason why, one word in CamelCase
	 * @param action what was done, one word in CamelCase
	 * @param note a sentence for people, without secrets
	 */
	public void normal(ObjectReference regarding, String reason, String action, String note) {
		safely(() -> record(regarding, "Normal", reason, action, note));
	}

	/**
	 * Records that something went wrong with an object of which only the reference is
	 * known.
	 * @param regarding the object that the event is about
	 * @param reason why, one word in CamelCase
	 * @param action what was done, one word in CamelCase
	 * @param note a sentence for people, without secrets
	 */
	public void warning(ObjectReference regarding, String reason, String action, String note) {
		safely(() -> record(regarding, "Warning", reason, action, note));
	}

	/*
	 * Events are for people: what is told of goes on, whatever is wrong with the event.
	 */
	private static void safely(Runnable recording) {
		try {
			recording.run();
		}
		catch (RuntimeException ex) {
			logger.warn("Failed to record an event, leaving it out: reason=\"{}\"", ex.toString());
			logger.debug("Failed to record an event", ex);
		}
	}

	private void record(ObjectReference regarding, String type, String reason, String action, String note) {
		String id = (regarding.getUid() != null) ? regarding.getUid()
				: regarding.getKind() + '/' + regarding.getNamespace() + '/' + regarding.getName();
		EventSeries.Content content = new EventSeries.Content(id, type, cut(reason, MAX_WORD), cut(action, MAX_WORD),
				cut(note, MAX_NOTE));
		Instant now = this.clock.instant();
		EventSeries.Step step;
		synchronized (this.series) {
			step = this.series.next(content, newName(regarding), now);
		}
		perform(regarding, content, step, now);
	}

	private void perform(ObjectReference regarding, EventSeries.Content content, EventSeries.Step step, Instant now) {
		if (step.action() == EventSeries.Action.WAIT) {
			return;
		}
		if (this.underWay.incrementAndGet() > MAX_UNDER_WAY) {
			this.underWay.decrementAndGet();
			if (step.action() == EventSeries.Action.CREATE) {
				forget(content);
			}
			logger.debug("Dropping an event, too many are under way reason={}", content.reason());
			return;
		}
		send(regarding, content, step, now).whenComplete((answer, failure) -> {
			this.underWay.decrementAndGet();
			if (failure != null) {
				forget(content);
				logger.debug("Failed to record an event reason={} cause=\"{}\"", content.reason(),
						ApiException.of(failure).getMessage());
			}
			else if (step.action() == EventSeries.Action.CREATE) {
				safely(() -> created(regarding, content, step.name()));
			}
		});
	}

	/* What was seen while the event object was under way is counted on it now. */
	private void created(ObjectReference regarding, EventSeries.Content content, String name) {
		Instant now = this.clock.instant();
		EventSeries.Step step;
		synchronized (this.series) {
			step = this.series.created(content, name, now);
		}
		perform(regarding, content, step, now);
	}

	private void forget(EventSeries.Content content) {
		synchronized (this.series) {
			this.series.forget(content);
		}
	}

	private CompletableFuture<?> send(ObjectReference regarding, EventSeries.Content content, EventSeries.Step step,
			Instant now) {
		try {
			return this.requests.send(request(regarding, content, step, now));
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private ApiRequest request(ObjectReference regarding, EventSeries.Content content, EventSeries.Step step,
			Instant now) {
		String namespace = (regarding.getNamespace() == null || regarding.getNamespace().isEmpty()) ? "default"
				: regarding.getNamespace();
		String collection = PATH + namespace + "/events";
		if (step.action() == EventSeries.Action.COUNT) {
			Map<String, Object> patch = Map.of("series",
					Map.of("count", step.count(), "lastObservedTime", MICROS.format(now)));
			return ApiRequest.of("PATCH", collection + '/' + step.name(), MediaTypes.MERGE_PATCH,
					this.serialization.asJson(patch));
		}
		Map<String, Object> event = new LinkedHashMap<>();
		event.put("apiVersion", "events.k8s.io/v1");
		event.put("kind", "Event");
		event.put("metadata", Map.of("namespace", namespace, "name", step.name()));
		event.put("eventTime", MICROS.format(now));
		event.put("reportingController", this.controller);
		event.put("reportingInstance", cut(this.instance.get(), MAX_WORD));
		event.put("type", content.type());
		event.put("reason", content.reason());
		event.put("action", content.action());
		event.put("note", content.note());
		event.put("regarding", regarding);
		return ApiRequest.of("POST", collection, MediaTypes.JSON, this.serialization.asJson(event));
	}

	private static ObjectReference referenceTo(HasMetadata object) {
		return new ObjectReferenceBuilder().withApiVersion(object.getApiVersion())
			.withKind(object.getKind())
			.withNamespace(object.getMetadata().getNamespace())
			.withName(object.getMetadata().getName())
			.withUid(object.getMetadata().getUid())
			.withResourceVersion(object.getMetadata().getResourceVersion())
			.build();
	}

	private static String newName(ObjectReference regarding) {
		// Some objects may be called as an Event may not: ClusterRoles, for one.
		String name = cut(regarding.getName(), MAX_NAME);
		return (SUBDOMAIN.matcher(name).matches() ? name : UUID.randomUUID()) + "."
				+ Long.toHexString(ThreadLocalRandom.current().nextLong());
	}

	/* Applications may be called as they like; an Event must have a qualified name. */
	private static String qualified(String controller) {
		String prefix = controller.substring(0, controller.indexOf('/') + 1);
		String name = cut(controller.substring(prefix.length()).replaceAll("[^A-Za-z0-9._-]", "-"), MAX_CONTROLLER)
			.replaceAll("^[^A-Za-z0-9]+|[^A-Za-z0-9]+$", "");
		return prefix + (name.isEmpty() ? "controller" : name);
	}

	/* The API server counts bytes. */
	private static String cut(String text, int length) {
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		if (bytes.length <= length) {
			return text;
		}
		int end = length;
		while ((bytes[end] & 0xC0) == 0x80) {
			end--;
		}
		return new String(bytes, 0, end, StandardCharsets.UTF_8);
	}

}
