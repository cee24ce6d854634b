package dev.sharding.josdk;

import java.util.Locale;

import io.fabric8.kubernetes.api.Pluralize;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.SSABasedGenericKubernetesResourceMatcher;
import org.jspecify.annotations.Nullable;

import dev.sharding.resource.GroupResource;

/**
 * Compares an object with what a dependent applies, as it leaves through
 * {@link ControlledStamp}. Without it the label of the shard looks like a difference, and
 * each reconcile applies the object once more.
 *
 * @param <R> the class of the objects
 */
final class SdkMatcher<R extends HasMetadata> extends SSABasedGenericKubernetesResourceMatcher<R> {

	private final ControlledStamp stamp;

	private final SSABasedGenericKubernetesResourceMatcher<R> matcher;

	/**
	 * Creates the matcher.
	 * @param stamp what happens to an object on its way out
	 * @param matcher compares, as the dependent asks for it
	 */
	SdkMatcher(ControlledStamp stamp, @Nullable SSABasedGenericKubernetesResourceMatcher<R> matcher) {
		this.stamp = stamp;
		this.matcher = (matcher != null) ? matcher : SSABasedGenericKubernetesResourceMatcher.getInstance();
	}

	@Override
	public boolean matches(R actual, R desired, Context<?> context) {
		R sent = context.getClient().getKubernetesSerialization().clone(desired);
		this.stamp.stamp(new GroupResource(group(sent), plural(sent)), sent, true);
		return this.matcher.matches(actual, sent, context);
	}

	private static String plural(HasMetadata object) {
		return (object instanceof GenericKubernetesResource)
				? Pluralize.toPlural(object.getKind().toLowerCase(Locale.ROOT)) : object.getPlural();
	}

	private static String group(HasMetadata object) {
		String apiVersion = object.getApiVersion();
		int slash = apiVersion.indexOf('/');
		return (slash < 0) ? "" : apiVersion.substring(0, slash);
	}

}
