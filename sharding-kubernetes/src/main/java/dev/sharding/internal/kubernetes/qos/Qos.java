package dev.sharding.internal.kubernetes.qos;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

import dev.sharding.client.RequestThrottle;
import dev.sharding.internal.core.qos.ListSize;
import dev.sharding.internal.core.qos.Prediction;
import dev.sharding.internal.core.qos.RequestShape;
import dev.sharding.internal.core.qos.RingShare;
import dev.sharding.internal.kubernetes.qos.limit.QosPieces;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.usercode.UserCode;
import dev.sharding.qos.spi.Caller;
import dev.sharding.qos.spi.Limiter;
import dev.sharding.qos.spi.Operation;
import dev.sharding.qos.spi.QosRequest;
import dev.sharding.qos.spi.QosRule;
import dev.sharding.qos.spi.QosRules;
import dev.sharding.qos.spi.RequestTarget;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * The QoS rules in force. Safe for many threads. The controller that a request is
 * accounted to is the one that the logging context names under {@code controller}, as the
 * reconcile runtime sets it.
 */
public final class Qos implements RequestThrottle {

	private static final Logger logger = LoggerFactory.getLogger(Qos.class);

	private static final Exemption[] EXEMPTIONS = Exemption.values();

	private final QosOptions options;

	private final QosPieces pieces;

	private final RequestMemory memory;

	private final ObjectCounts counts;

	private final ServerSigns server;

	private final StorageUse storage;

	private final QosMetrics metrics;

	private final QosMonitor monitor;

	private final LongSupplier nanoTime;

	private final InstantSource clock;

	private volatile Caller process = Caller.UNKNOWN;

	/* The one that was asked for last: a reconcile makes many requests. */
	private volatile Caller latestCaller = Caller.UNKNOWN;

	private volatile RunningRules running;

	/* By ring; that of the application has an empty name. */
	private volatile Map<String, RingMembership> memberships = Map.of();

	/* Guarded by this: rules of which the log says that their limit is not divided. */
	private final Set<String> warned = new HashSet<>();

	/**
	 * Puts rules in force.
	 * @param rules the rules to begin with
	 * @param options what does not change
	 * @param pieces what limits are made of
	 * @param meters where meters are registered
	 * @param clock tells the time of what the monitor shows
	 * @param nanoTime the monotonic clock in nanoseconds
	 */
	public Qos(QosRules rules, QosOptions options, QosPieces pieces, MeterRegistry meters, InstantSource clock,
			LongSupplier nanoTime) {
		this.options = options;
		this.pieces = pieces;
		this.nanoTime = nanoTime;
		this.clock = clock;
		this.memory = new RequestMemory(options.remembered());
		this.counts = new ObjectCounts(options, nanoTime);
		this.storage = new StorageUse(options.storageQuota(), options.storagePeriod().multipliedBy(3), nanoTime);
		this.server = new ServerSigns(this.storage, nanoTime);
		this.metrics = new QosMetrics(meters);
		this.monitor = new QosMonitor(options.latest());
		this.running = new RunningRules(rules, Map.of(), pieces, nanoTime);
		gauges(meters);
	}

	/**
	 * Says who this process is.
	 * @param caller shard, service account and user; the controller is left empty
	 */
	public void identify(Caller caller) {
		this.process = caller;
	}

	/**
	 * Returns the rules in force.
	 * @return the rules
	 */
	public QosRules rules() {
		return this.running.rules();
	}

	/**
	 * Changes the rules, as a whole or not at all. Requests that wait keep their turn.
	 * @param change from the rules in force to the new ones; if it throws, they stay
	 * @return the new rules
	 */
	public synchronized QosRules change(UnaryOperator<QosRules> change) {
		RunningRules before = this.running;
		QosRules changed = change.apply(before.rules());
		replace(before, changed, before.parts());
		Changes.between(before.rules(), changed).forEach((difference) -> logger.info("QoS: {}", difference));
		return changed;
	}

	/**
	 * Says how many shards share the limits of a ring.
	 * @param ring its name; empty for that of the rules that name none
	 * @param shards the number of available shards; less than 1 counts as 1
	 * @param looks how often this process has asked for it since it is one of them, this
	 * time included, 0 if it is none: others learn of it by the same looks
	 */
	public synchronized void shards(String ring, int shards, int looks) {
		divide(ring, RingMembership.of(shards, looks));
		ringWide(ring).forEach((rule) -> this.warned.remove(rule.name()));
	}

	/**
	 * Says that this process shares the limits of a ring with nobody, of which the log
	 * warns once for each rule.
	 * @param ring its name; empty for that of the rules that name none
	 * @param reason why they are its own
	 */
	public synchronized void noRing(String ring, String reason) {
		divide(ring, RingMembership.none(reason));
		warn(ring, "is not divided among the shards of a ring", reason);
	}

	private void divide(String ring, RingMembership now) {
		RunningRules before = this.running;
		if (!Objects.equals(before.parts().get(ring), now.parts())) {
			Map<String, Integer> parts = new HashMap<>(before.parts());
			parts.put(ring, now.parts());
			replace(before, before.rules(), parts);
		}
		remember(ring, now);
	}

	private void replace(RunningRules before, QosRules rules, Map<String, Integer> parts) {
		try {
			this.running = before.next(rules, parts);
		}
		catch (RuntimeException | Error ex) {
			if (before.isReplaced()) {
				// Some of its limits give no turns any more, and nobody would follow
				// them.
				this.running = new RunningRules(before.rules(), before.parts(), this.pieces, this.nanoTime);
			}
			throw ex;
		}
	}

	private void remember(String ring, RingMembership now) {
		Map<String, RingMembership> changed = new HashMap<>(this.memberships);
		changed.put(ring, now);
		this.memberships = Map.copyOf(changed);
	}

	/**
	 * Says that nobody knows how many shards share the limits of a ring. They stay
	 * divided as they are: among those that were known last, or into
	 * {@value RingShare#UNKNOWN} parts, of which the log warns once for each rule.
	 * @param ring its name; empty for that of the rules that name none
	 * @param reason why it is not known
	 */
	public synchronized void shardsUnknown(String ring, String reason) {
		remember(ring, membership(ring).failed(reason));
		if (membership(ring).known()) {
			logger.debug("The number of shards is not known any more: {}", reason);
			return;
		}
		warn(ring, "is one sixteenth of the ring's, as the number of its shards is not known", reason);
	}

	private List<QosRule> ringWide(String ring) {
		return rules().rules().stream().filter((rule) -> rule.ringWide() && rule.ring().equals(ring)).toList();
	}

	private void warn(String ring, String what, String reason) {
		for (QosRule rule : ringWide(ring)) {
			if (rule.enabled() && this.warned.add(rule.name())) {
				logger.warn("The limit of QoS rule '{}' (class '{}') {}: {}", rule.name(), rule.qosClass(), what,
						reason);
			}
		}
	}

	/**
	 * Returns among how many shards limits of a ring are divided.
	 * @param ring its name; empty for that of the rules that name none
	 * @return the number, and whether it is known
	 */
	public RingMembership membership(String ring) {
		return this.memberships.getOrDefault(ring, RingMembership.NOT_READ);
	}

	/**
	 * Says whom to ask how many objects there are. From now on the size of a list is
	 * predicted from that; before, only from earlier answers to lists of the same shape.
	 * @param requests asks the API server; nobody waits for it
	 * @param serialization reads what it says
	 * @param executor sends the questions, and reads the answers
	 */
	public void countBy(ApiRequests requests, KubernetesSerialization serialization, Executor executor) {
		this.counts.askBy(ObjectCounts.server(requests, serialization, executor));
	}

	/**
	 * Returns what is remembered of the shapes of requests.
	 * @return what was seen longest ago comes first
	 */
	public List<RememberedShape> remembered() {
		long now = this.nanoTime.getAsLong();
		Instant instant = this.clock.instant();
		List<RememberedShape> remembered = new ArrayList<>();
		this.memory.snapshot()
			.forEach((shape, known) -> remembered
				.add(new RememberedShape(shape, known.items(), known.responseBytes(), known.latencyMillis(),
						known.failures(), instant.minusNanos(Math.max(0, now - known.seenAtNanos())))));
		return remembered;
	}

	/**
	 * Takes over what another process remembers, as far as there is room, and nothing
	 * that this one knows better. What is from the future counts as from now.
	 * @param earlier what the other one remembered
	 */
	public void remember(Collection<RememberedShape> earlier) {
		long now = this.nanoTime.getAsLong();
		Instant instant = this.clock.instant();
		earlier.stream().sorted(Comparator.comparing(RememberedShape::seen)).forEach((known) -> {
			Duration age = Duration.between(known.seen(), instant);
			if (age.compareTo(RequestMemory.LONGEST) <= 0) {
				this.memory.restore(known.shape(), new Prediction(known.items(), known.responseBytes(),
						known.latencyMillis(), known.failures(), now - Math.max(0, age.toNanos())), now);
			}
		});
	}

	/**
	 * Takes in what the server's metrics page says about its storage.
	 * @param metrics the page in Prometheus' text format
	 */
	public void serverMetrics(String metrics) {
		this.storage.read(StorageUse.sizeIn(metrics));
	}

	/**
	 * Returns what the rules did.
	 * @return the counts of each rule in force, highest priority first
	 */
	public List<RuleCounts> counts() {
		List<RuleCounts> counts = new ArrayList<>();
		rules().rules().forEach((rule) -> counts.add(this.metrics.of(rule).counts()));
		return counts;
	}

	/**
	 * Returns the latest limited and expensive requests.
	 * @return the monitor
	 */
	public QosMonitor monitor() {
		return this.monitor;
	}

	@Override
	public @Nullable Passage enter(ApiRequest request) {
		RequestTarget target = RequestTarget.parse(request.path());
		Operation operation = (target != null) ? RequestReading.operation(request, target) : null;
		if (target == null || operation == null || isExempt(target, request)) {
			return null;
		}
		Caller caller = (request.actsFor() != null) ? caller().actingFor(request.actsFor()) : caller();
		QosRequest asked = new QosRequest(operation, target, caller);
		RunningRules rules = this.running;
		if (!this.pieces.selector().mayConcern(rules.rules(), asked)) {
			this.metrics.unmatched();
			return new UnlimitedPassage(this, request, operation, caller);
		}
		return enter(request, asked, rules);
	}

	private Passage enter(ApiRequest request, QosRequest asked, RunningRules rules) {
		RequestShape shape = RequestShape.of(asked.operation(), asked.target(), request.query());
		Prediction prediction = this.memory.recall(shape, this.nanoTime.getAsLong());
		this.metrics.recalled(prediction != null);
		double bytes = bytesOf(request);
		KnownMeasures measures = measures(request, asked, bytes, prediction);
		QosPassage passage = new QosPassage(this, request, asked, bytes, shape, prediction, measures);
		RunningRules inForce = rules;
		while (true) {
			QosRule rule = this.pieces.selector().select(inForce.rules(), asked, measures);
			if (rule == null) {
				this.metrics.unmatched();
				return passage;
			}
			// All that can fail before the turn, as nobody would give it up.
			QosMetrics.RuleMeters meters = this.metrics.of(rule);
			long cost = Math.max(0, this.pieces.cost().cost(rule, asked, measures));
			Group group = inForce.group(rule, this.pieces.accounting().group(rule, asked));
			Limiter.Turn turn = (group != null) ? group.ask(cost) : null;
			if (group != null && turn != null) {
				UserCode.aside(meters::matched);
				return passage.limited(rule.name(), meters, group, turn);
			}
			inForce = inForce();
		}
	}

	/**
	 * Whether a rule is about a request that costs so much, and looks at what it costs.
	 */
	boolean meetsARule(ApiRequest request, QosRequest asked, double bytes, Prediction cost) {
		QosRule rule = this.pieces.selector()
			.select(this.running.rules(), asked, measures(request, asked, bytes, cost));
		return rule != null && KnownMeasures.looksAtPredictions(rule);
	}

	private KnownMeasures measures(ApiRequest request, QosRequest asked, double bytes,
			@Nullable Prediction prediction) {
		ListSize size = RequestReading.listSize(request, asked.target(), asked.operation());
		return new KnownMeasures(bytes,
				(size != null) ? new KnownMeasures.PredictedList(size, ListSize.itemShare(request.accept()),
						this.counts, asked.target().toString(), this.options.unknownItems()) : null,
				prediction, this.server);
	}

	/* After a change that is under way. */
	private synchronized RunningRules inForce() {
		return this.running;
	}

	private boolean isExempt(RequestTarget target, ApiRequest request) {
		for (Exemption exemption : EXEMPTIONS) {
			if (exemption.covers(target, request) && this.options.exempt().contains(exemption)) {
				return true;
			}
		}
		return false;
	}

	private Caller caller() {
		Caller known = this.process;
		String controller = MDC.get("controller");
		if (controller == null) {
			return known;
		}
		Caller latest = this.latestCaller;
		if (!latest.isOf(known, controller)) {
			latest = known.with(controller);
			this.latestCaller = latest;
		}
		return latest;
	}

	/** The bytes of the body, as it is sent: in UTF-8. */
	static double bytesOf(ApiRequest request) {
		return (request.body() != null) ? Utf8.length(request.body()) : 0;
	}

	private void gauges(MeterRegistry meters) {
		Gauge.builder("sharding.qos.memory.shapes", this.memory, RequestMemory::size)
			.description("Shapes of requests that are remembered")
			.register(meters);
		Gauge.builder("sharding.qos.storage.used", this.storage, StorageUse::used)
			.description("Used share of the server's storage quota; not a number if not known")
			.register(meters);
		Gauge.builder("sharding.qos.storage.age", this.storage, StorageUse::ageSeconds)
			.description("Since the server's storage size was read")
			.baseUnit("seconds")
			.register(meters);
		Gauge.builder("sharding.qos.server.pressure", this.server, ServerSigns::pressure)
			.description("Share of requests that the server refused lately with 429 or 503")
			.register(meters);
	}

	ObjectCounts objects() {
		return this.counts;
	}

	RequestMemory memory() {
		return this.memory;
	}

	ServerSigns server() {
		return this.server;
	}

	QosMetrics metrics() {
		return this.metrics;
	}

	long now() {
		return this.nanoTime.getAsLong();
	}

	InstantSource clock() {
		return this.clock;
	}

}
