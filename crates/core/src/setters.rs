//! The `with_*` setters of configurations.

/// Writes the `with_*` setters of a configuration: `with_x(x: T)` becomes
/// `pub fn with_x(mut self, x: T) -> Self`, which sets the field `x`.
///
/// Each setter refers to the documentation of its field. Doc comments in front of a setter are
/// appended. The declared type selects how the value is passed:
///
/// | written | the setter takes | the field becomes |
/// |---|---|---|
/// | `T` | `T` | the value |
/// | `Some(T)` | `T` | `Some(value)` |
/// | `impl Into<T>` | `impl Into<T>` | `value.into()` |
/// | `Some(impl Into<T>)` | `impl Into<T>` | `Some(value.into())` |
///
/// # Examples
///
/// ```
/// #[derive(Default)]
/// pub struct Config<F> {
///     /// Side of a cell in metres.
///     pub cell_size: f32,
///     /// Name of the level, if it has one.
///     pub name: Option<String>,
///     /// Filter of polygons.
///     pub filter: F,
/// }
///
/// waymesh_core::setters! {
///     impl<F> Config<F> {
///         with_cell_size(cell_size: f32);
///         /// There is no name by default.
///         with_name(name: Some(impl Into<String>));
///     }
/// }
///
/// let config = Config::<()>::default().with_cell_size(0.5).with_name("house");
/// assert_eq!((config.cell_size, config.name.as_deref()), (0.5, Some("house")));
/// ```
#[macro_export]
macro_rules! setters {
    (impl<$($generic:ident),+> $config:ty {
        $($(#[$attribute:meta])* $setter:ident($field:ident: $($kind:tt)+);)+
    }) => {
        impl<$($generic),+> $config {
            $($crate::setters! { @setter [$(#[$attribute])*] $setter $field: $($kind)+ })+
        }
    };
    (impl $config:ty { $($(#[$attribute:meta])* $setter:ident($field:ident: $($kind:tt)+);)+ }) => {
        impl $config {
            $($crate::setters! { @setter [$(#[$attribute])*] $setter $field: $($kind)+ })+
        }
    };
    (@setter $attributes:tt $setter:ident $field:ident: Some(impl Into<$value:ty>)) => {
        $crate::setters! { @fn $attributes $setter $field value impl Into<$value>, Some(value.into()) }
    };
    (@setter $attributes:tt $setter:ident $field:ident: Some($value:ty)) => {
        $crate::setters! { @fn $attributes $setter $field value $value, Some(value) }
    };
    (@setter $attributes:tt $setter:ident $field:ident: impl Into<$value:ty>) => {
        $crate::setters! { @fn $attributes $setter $field value impl Into<$value>, value.into() }
    };
    (@setter $attributes:tt $setter:ident $field:ident: $value:ty) => {
        $crate::setters! { @fn $attributes $setter $field value $value, value }
    };
    (@fn [$($attributes:tt)*] $setter:ident $field:ident $value:ident $type:ty, $set:expr) => {
        #[doc = concat!("Sets [`", stringify!($field), "`](Self#structfield.", stringify!($field), ").")]
        ///
        $($attributes)*
        #[must_use]
        pub fn $setter(mut self, $value: $type) -> Self {
            self.$field = $set;
            self
        }
    };
}
