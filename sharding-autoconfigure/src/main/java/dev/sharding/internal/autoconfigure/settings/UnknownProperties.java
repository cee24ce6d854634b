package dev.sharding.internal.autoconfigure.settings;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Finds properties that nobody reads, in all sources but those of the system, in which
 * others write as well.
 */
final class UnknownProperties {

	private static final Logger logger = LoggerFactory.getLogger(UnknownProperties.class);

	private static final int SIMILAR = 4;

	private UnknownProperties() {
	}

	/** Says of each unknown property which one may be meant. */
	static void warn(Environment environment, String prefix, Class<?> type, String... others) {
		find(environment, prefix, type, others).forEach((name, nearest) -> logger
			.warn("Property '{}' does not exist and does nothing{}", name, nearest.isEmpty() ? "" : ": " + nearest));
	}

	/**
	 * Finds them.
	 * @param environment where they are
	 * @param prefix the prefix of the properties
	 * @param type what is bound there
	 * @param others prefixes below, where something else is bound
	 * @return what to say of each by its name
	 */
	static Map<String, String> find(Environment environment, String prefix, Class<?> type, String... others) {
		Known known = new Known();
		Map<String, String> found = new TreeMap<>();
		try {
			Binder.get(environment)
				.bind(prefix, Bindable.of(type), new NoUnboundElementsBindHandler(known, UnknownProperties::isOwn));
		}
		catch (BindException ex) {
			// Any other mistake is told of when the properties are bound for good.
			if (ex.getCause() instanceof UnboundConfigurationPropertiesException unbound) {
				unbound.getUnboundProperties()
					.stream()
					.map((property) -> property.getName())
					.filter((name) -> !known.isAskedFor(name))
					.map(ConfigurationPropertyName::toString)
					.filter((name) -> List.of(others)
						.stream()
						.noneMatch((other) -> name.equals(other) || name.startsWith(other + ".")))
					.forEach((name) -> found.put(name, known.nearest(name)));
			}
		}
		return found;
	}

	static boolean isOwn(ConfigurationPropertySource source) {
		return source.getUnderlyingSource() instanceof PropertySource<?> underlying
				&& !underlying.getName().equals(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME)
				&& !underlying.getName().equals(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);
	}

	/** Everything that binding asks for. */
	private static final class Known extends AbstractBindHandler {

		private final List<String> names = new ArrayList<>();

		/* An empty value is bound to nothing, and known all the same. */
		private final Set<ConfigurationPropertyName> asked = new HashSet<>();

		@Override
		public <T> @Nullable Bindable<T> onStart(ConfigurationPropertyName name, Bindable<T> target,
				BindContext context) {
			this.names.add(name.toString());
			this.asked.add(name);
			return super.onStart(name, target, context);
		}

		boolean isAskedFor(ConfigurationPropertyName name) {
			return this.asked.contains(name);
		}

		String nearest(String wrong) {
			return this.names.stream()
				.filter((name) -> distance(name, wrong) < SIMILAR)
				.min(Comparator.comparingInt((name) -> distance(name, wrong)))
				.map("did you mean '%s'?"::formatted)
				.orElse("");
		}

		private static int distance(String one, String other) {
			int[] row = new int[other.length() + 1];
			for (int i = 0; i <= one.length(); i++) {
				int diagonal = i - 1;
				for (int j = 0; j <= other.length(); j++) {
					int above = row[j];
					if (i == 0 || j == 0) {
						row[j] = i + j;
					}
					else {
						int replaced = diagonal + ((one.charAt(i - 1) == other.charAt(j - 1)) ? 0 : 1);
						row[j] = Math.min(Math.min(above, row[j - 1]) + 1, replaced);
					}
					diagonal = above;
				}
			}
			return row[other.length()];
		}

	}

}
