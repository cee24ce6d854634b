package dev.sharding.autoconfigure;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.MalformedParameterizedTypeException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.event.EventListener;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

import dev.sharding.leadership.LeaderElection;
import dev.sharding.leadership.LeaderOnly;
import dev.sharding.leadership.LeadershipAcquiredEvent;
import dev.sharding.leadership.LeadershipEvent;
import dev.sharding.leadership.LeadershipLostEvent;

/**
 * Finds the beans that need an elected leader, by their classes, without creating one: a
 * process that nobody asks to lead must not keep another one from it.
 */
final class LeaderElectionUsers {

	private static final Set<Class<?>> EVENTS = Set.of(LeadershipEvent.class, LeadershipAcquiredEvent.class,
			LeadershipLostEvent.class);

	private LeaderElectionUsers() {
	}

	/**
	 * Finds a bean that takes the election or hears of it, or has a method with
	 * {@link LeaderOnly}.
	 * @param factory where to look
	 * @return the name of the bean, {@code null} if there is none
	 */
	static @Nullable String find(ConfigurableListableBeanFactory factory) {
		for (String name : factory.getBeanDefinitionNames()) {
			Class<?> type = factory.getType(name, false);
			if (type != null && isOfUser(type) && uses(ClassUtils.getUserClass(type))) {
				return name;
			}
		}
		return null;
	}

	/** The methods with {@link LeaderOnly}. */
	static Set<Method> leaderOnly(Class<?> type) {
		return MethodIntrospector.selectMethods(type,
				(Method method) -> AnnotatedElementUtils.hasAnnotation(method, LeaderOnly.class));
	}

	/** Whether a class is one of the application or of its libraries. */
	static boolean isOfUser(Class<?> type) {
		String name = type.getName();
		return type != LeaderOnlyPostProcessor.class && !name.startsWith("java.")
				&& !name.startsWith("org.springframework.") && !(name.startsWith("dev.sharding.")
						&& AnnotatedElementUtils.hasAnnotation(outermost(type), AutoConfiguration.class));
	}

	private static Class<?> outermost(Class<?> type) {
		Class<?> outer = type.getEnclosingClass();
		return (outer != null) ? outermost(outer) : type;
	}

	private static boolean uses(Class<?> type) {
		try {
			return takes(type) || !leaderOnly(type).isEmpty()
					|| !MethodIntrospector.selectMethods(type, (Method method) -> hears(method)).isEmpty();
		}
		catch (LinkageError | TypeNotPresentException | MalformedParameterizedTypeException ex) {
			// A signature names something optional that is not there.
			return false;
		}
	}

	private static boolean takes(Class<?> type) {
		for (Class<?> current = type; current != null && isOfUser(current); current = current.getSuperclass()) {
			Stream<Type> fields = Arrays.stream(current.getDeclaredFields()).map(Field::getGenericType);
			Stream<Type> ofConstructors = Arrays.stream(current.getDeclaredConstructors())
				.map(Constructor::getGenericParameterTypes)
				.flatMap(Arrays::stream);
			Stream<Type> ofMethods = Arrays.stream(current.getDeclaredMethods())
				.map(Method::getGenericParameterTypes)
				.flatMap(Arrays::stream);
			// A method that makes a listener of the events.
			Stream<Type> made = Arrays.stream(current.getDeclaredMethods()).map(Method::getGenericReturnType);
			if (made.anyMatch(LeaderElectionUsers::namesEvent) || Stream.of(fields, ofConstructors, ofMethods)
				.flatMap((types) -> types)
				.anyMatch(LeaderElectionUsers::names)) {
				return true;
			}
		}
		return false;
	}

	/* Its parameter need not tell. */
	private static boolean hears(Method method) {
		EventListener listener = AnnotatedElementUtils.findMergedAnnotation(method, EventListener.class);
		return listener != null && Arrays.stream(listener.classes()).anyMatch(EVENTS::contains);
	}

	/* Also as in ObjectProvider<LeaderElection>. */
	private static boolean names(Type type) {
		return type.getTypeName().contains(LeaderElection.class.getName()) || namesEvent(type);
	}

	private static boolean namesEvent(Type type) {
		String name = type.getTypeName();
		return EVENTS.stream().map(Class::getName).anyMatch(name::contains);
	}

}
