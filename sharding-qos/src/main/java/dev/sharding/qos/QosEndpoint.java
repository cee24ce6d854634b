package dev.sharding.qos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

import dev.sharding.internal.kubernetes.qos.Qos;
import dev.sharding.internal.kubernetes.qos.SeenRequest;
import dev.sharding.qos.QosProperties.QosClassProperties;
import dev.sharding.qos.QosProperties.QosRuleProperties;
import dev.sharding.qos.spi.InvalidQosException;
import dev.sharding.qos.spi.Measure;
import dev.sharding.qos.spi.QosClass;
import dev.sharding.qos.spi.QosRule;
import dev.sharding.qos.spi.QosRules;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.util.MimeType;

/**
 * Endpoint {@code qos}: shows the classes and rules in force, what they did and the
 * latest limited and expensive requests; changes classes and rules where write access is
 * granted. A change is taken as a whole or refused with the reason.
 */
@WebEndpoint(id = "qos", defaultAccess = Access.READ_ONLY)
final class QosEndpoint {

	private static final MimeType YAML = new MimeType("application", "yaml");

	/* How long a reader of the monitor waits for news. */
	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final int MOST = 100;

	private static final int ACCEPTED = 202;

	private static final int CONFLICT = 409;

	private final Qos qos;

	private final @Nullable RulesConfigMap configMap;

	private final boolean asynchronous;

	/**
	 * Creates the endpoint.
	 * @param qos the limits
	 * @param configMap where changes are written; {@code null} if they last as long as
	 * the process
	 * @param asynchronous whether the web framework takes answers that come later, so
	 * that a reader who waits holds no thread
	 */
	QosEndpoint(Qos qos, @Nullable RulesConfigMap configMap, boolean asynchronous) {
		this.qos = qos;
		this.configMap = configMap;
		this.asynchronous = asynchronous;
	}

	@ReadOperation
	Map<String, Object> all() {
		Map<String, Object> all = new LinkedHashMap<>();
		all.put("classes", classes());
		all.put("rules", rules());
		all.put("counts", this.qos.counts());
		all.put("share", QosShare.of(this.qos));
		all.put("origin", origin());
		return all;
	}

	@ReadOperation
	@Nullable Object list(@Selector String kind, @Nullable String type, @Nullable Double threshold, @Nullable Integer limit,
			@Nullable Long since) {
		return switch (kind) {
			case "classes" -> classes();
			case "rules" -> rules();
			case "counts" -> this.qos.counts();
			case "share" -> QosShare.of(this.qos);
			case "origin" -> origin();
			case "export" ->
				new WebEndpointResponse<>(QosExport.yaml(this.qos.rules()), WebEndpointResponse.STATUS_OK, YAML);
			case "monitor" -> {
				CompletableFuture<List<SeenRequest>> news = this.qos.monitor()
					.since((type != null) ? measure(type) : null, (threshold != null) ? threshold : 0,
							Math.max(1, Math.min(MOST, (limit != null) ? limit : MOST)), (since != null) ? since : 0,
							PATIENCE);
				yield this.asynchronous ? news : news.join();
			}
			default -> null;
		};
	}

	@ReadOperation
	@Nullable Object get(@Selector String kind, @Selector String name) {
		return switch (kind) {
			case "classes" -> classes().get(name);
			case "rules" -> rules().get(name);
			default -> null;
		};
	}

	/**
	 * Adds or updates a class or a rule.
	 * @param kind {@code classes} or {@code rules}
	 * @param name its name
	 * @param definition as in the configuration, as YAML; a text, since the body of an
	 * operation holds nothing but simple values
	 * @param update whether one of this name may be there already, rather than must not
	 */
	@WriteOperation
	WebEndpointResponse<Object> define(@Selector String kind, @Selector String name, String definition,
			@Nullable Boolean update) {
		boolean replace = Boolean.TRUE.equals(update);
		return switch (kind) {
			case "classes" -> changed(kind, name, (before) -> {
				requireFree(before.classes().containsKey(name), replace, "class", name);
				Map<String, QosClass> classes = new TreeMap<>(before.classes());
				QosClassProperties defined = RulesText.bind(name, definition, QosClassProperties.class);
				classes.put(name, QosDefinitions.qosClass(name, defined));
				Set<String> shared = new TreeSet<>(before.shared());
				shared.remove(name);
				shared.addAll(defined.shared() ? Set.of(name) : Set.of());
				return QosRules.define(classes, shared, before.rules());
			});
			case "rules" -> changed(kind, name, (before) -> {
				List<QosRule> rules = without(before, name);
				requireFree(rules.size() < before.rules().size(), replace, "rule", name);
				rules.add(QosDefinitions.rule(name, RulesText.bind(name, definition, QosRuleProperties.class)));
				return QosRules.define(before.classes(), before.shared(), rules);
			});
			default -> new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
		};
	}

	@DeleteOperation
	WebEndpointResponse<Object> delete(@Selector String kind, @Selector String name) {
		if (get(kind, name) == null) {
			return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
		}
		return changed(kind, name, (before) -> {
			if (kind.equals("rules")) {
				return QosRules.define(before.classes(), before.shared(), without(before, name));
			}
			requireUnused(before, name);
			Map<String, QosClass> classes = new TreeMap<>(before.classes());
			classes.remove(name);
			Set<String> shared = new TreeSet<>(before.shared());
			shared.remove(name);
			return QosRules.define(classes, shared, before.rules());
		});
	}

	private WebEndpointResponse<Object> changed(String kind, String name, UnaryOperator<QosRules> change) {
		boolean inForce = true;
		try {
			if (this.configMap != null) {
				inForce = this.configMap.change(change);
			}
			else {
				this.qos.change(change);
			}
		}
		catch (RulesNotWrittenException ex) {
			return refused(ex.isConflict() ? CONFLICT : WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, name,
					ex.getMessage());
		}
		catch (InvalidQosException ex) {
			return refused(WebEndpointResponse.STATUS_BAD_REQUEST, ex.offender(), ex.getMessage());
		}
		catch (BindException ex) {
			return refused(WebEndpointResponse.STATUS_BAD_REQUEST, name,
					NestedExceptionUtils.getMostSpecificCause(ex).getMessage());
		}
		if (!inForce) {
			return new WebEndpointResponse<>(Map.of("written", name), ACCEPTED);
		}
		Object now = get(kind, name);
		return new WebEndpointResponse<>((now != null) ? now : Map.of("deleted", name));
	}

	private static WebEndpointResponse<Object> refused(int status, String offender, @Nullable String reason) {
		return new WebEndpointResponse<>(Map.of("offender", offender, "reason", String.valueOf(reason)), status);
	}

	private Map<String, Object> origin() {
		return ((this.configMap != null) ? this.configMap.origin() : RulesOrigin.CONFIGURATION).details();
	}

	private Map<String, Map<String, Object>> classes() {
		return QosExport.classes(this.qos.rules());
	}

	private Map<String, Map<String, Object>> rules() {
		return QosExport.rules(this.qos.rules());
	}

	private static List<QosRule> without(QosRules rules, String name) {
		List<QosRule> others = new ArrayList<>(rules.rules());
		others.removeIf((rule) -> rule.name().equals(name));
		return others;
	}

	private static void requireFree(boolean taken, boolean replace, String what, String name) {
		if (taken && !replace) {
			throw new InvalidQosException(name,
					"There is a %s '%s' already: choose another name, or send 'update': true".formatted(what, name));
		}
	}

	private static void requireUnused(QosRules rules, String qosClass) {
		List<String> users = rules.rules()
			.stream()
			.filter((rule) -> rule.qosClass().equals(qosClass))
			.map(QosRule::name)
			.toList();
		if (!users.isEmpty()) {
			throw new InvalidQosException(users.get(0),
					"Class '%s' is in use by the rules %s: delete them first, or give them another class"
						.formatted(qosClass, users));
		}
	}

	private static Measure measure(String type) {
		return switch (type) {
			case "latency" -> Measure.LATENCY;
			case "traffic" -> Measure.TOTAL_TRAFFIC;
			case "items" -> Measure.PREDICTED_ITEMS;
			default -> throw new InvalidEndpointRequestException(
					"'type' must be latency, traffic or items (is %s)".formatted(type), "unknown type");
		};
	}

}
